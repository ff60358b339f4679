import Pruning
import Retention
import SQLite

/// The deletion or marking of some rows, inside a write transaction.
struct RowChange {
    let bound: BoundRule
    /// What is declared of rows that refer to the rows; nil if nothing is.
    let doomed: DoomedRows?
    /// SQL that is true of the rows; it follows WHERE.
    let place: String
    let values: [String: DatabaseValue]

    /// Changes the rows. Archives them first if `archiving` is not nil. Returns how many rows were changed, and how many
    /// others: tombstones, and rows that were detached.
    func run(
        _ task: PruneTask, _ archiving: Archiving?, in db: Database
    ) throws -> (rows: Int64, others: Int64) {
        if bound.mark == nil, bound.tombstones == nil, doomed == nil {
            if let archiving {
                try archiving.delete(bound, place, values, of: task, in: db)
            } else {
                try db.execute(bound.change(place), values)
            }
            let rows = db.changes
            try checkNoneStays(in: db)
            return (rows, 0)
        }
        // What a mark overwrites, and which tombstones are there already, is known only before the change.
        let archived = try archiving?.archive(bound, place, values, of: task, in: db)
        let before = db.totalChanges
        if let tombstones = bound.tombstones {
            try db.execute(tombstones.insertion(from: bound.from(place)), values)
        }
        let written = db.totalChanges - before
        try checkTombstones(in: db)
        let detached = try doomed?.changeReferring(in: db) ?? 0
        try db.execute(bound.change(place), values)
        let rows = db.changes
        try checkNoneStays(in: db)
        if let archived, archived != rows { throw differs(rows, from: archived) }
        return (rows, written + detached)
    }

    /// A trigger may leave a row as it is, without an error. A tombstone and the archive would say that the row is gone.
    private func checkNoneStays(in db: Database) throws {
        guard !bound.code.isEmpty, try db.row("SELECT 1 \(bound.from(place)) LIMIT 1", values) != nil else {
            return
        }
        let triggers = bound.code.joined(separator: ", ")
        throw StoreError(
            .unsafe, operation: "apply rule \(bound.rule.name)", place: bound.rule.store.description,
            cause:
                "a row of \(bound.table.name) stayed as it was: trigger \(triggers) left it; the batch was rolled back",
            hint: "protect the rows that the trigger leaves")
    }

    /// A row without its tombstone would stay, and be counted again in each run.
    private func checkTombstones(in db: Database) throws {
        guard let tombstones = bound.tombstones,
            try db.row("SELECT 1 \(bound.from(place)) AND NOT \(tombstones.isThere) LIMIT 1", values) != nil
        else { return }
        throw StoreError(
            .unsafe, operation: "apply rule \(bound.rule.name)", place: bound.rule.store.description,
            cause:
                "a tombstone was written, and is not in \(tombstones.table.name); the batch was rolled back",
            hint:
                "look for triggers on \(tombstones.table.name), and whether its columns can have the values of"
                + " \(bound.table.name)")
    }

    private func differs(_ changed: Int64, from archived: Int64) -> StoreError {
        StoreError(
            .unsafe, operation: "apply rule \(bound.rule.name)", place: bound.rule.store.description,
            cause:
                "\(archived) rows were archived, but \(changed) would be changed; the batch was rolled back",
            hint: "look for triggers on \(bound.table.name)")
    }
}
