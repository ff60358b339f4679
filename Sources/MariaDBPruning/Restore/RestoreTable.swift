import Archive
import Pruning
import Retention
import RuleEngine

/// The current state of the table of a database into which archived rows are to be put.
final class RestoreTable: RestoreTarget {
    private let connection: Connection
    private let relation: Relation
    private let columns: ArchivedColumns
    private let key: RowKey
    /// Nil if the rows were deleted.
    private let mark: Mark?

    /// Throws ``NoTarget`` if the table or a column no longer exists, and a ``StoreError`` if the rows cannot be put back, or if
    /// that would run code that the store's gate does not know.
    init(
        _ part: ArchivedPart, for rows: ArchivedRows, allowing triggers: Set<String>,
        in connection: Connection
    ) throws {
        self.connection = connection
        func refusal(_ cause: String, _ hint: String?) -> StoreError {
            StoreError(
                .schema, operation: "restore run \(part.runID)", place: connection.place, cause: cause,
                hint: hint)
        }
        guard
            let relation = try connection.names(of: part.table).compactMap({ try connection.relation($0) })
                .first
        else { throw NoTarget(.tableGone) }
        for name in rows.columns + rows.witness where relation[name]?.isGenerated ?? true {
            throw NoTarget(.columnGone)
        }
        self.relation = relation
        do {
            try relation.refuseOtherStorage()
            (key, columns) = (
                try RowKey(of: relation),
                try ArchivedColumns(rows.columns, witness: rows.witness, of: relation)
            )
            mark = try Mark(rows.action, on: relation)
        } catch {
            throw refusal(error.cause, error.hint)
        }
        do {
            try connection.checkRight(to: mark.map { .mark($0) } ?? .insert(rows.columns), relation)
        } catch let mismatch as SchemaMismatch {
            throw refusal(mismatch.cause, mismatch.hint)
        }
        let event = rows.action.isMark ? "UPDATE" : "INSERT"
        let foreign = try connection.triggers(on: relation).first {
            $0.event == event && !triggers.contains($0.name)
        }
        if let foreign {
            throw refusal(
                "trigger \(foreign.name) on \(foreign.table) would run, which no gate of the store knows",
                "drop the trigger, restore, and create it again; the rows stay in the archive meanwhile")
        }
    }

    /// Its key tells a row from all others.
    func whereabouts(
        of position: Int, in batch: RestoreBatch, besides back: [Int]
    ) throws -> RestoreWhereabouts { .unknown }

    func put(_ row: [ArchivedValue]) throws -> PutRow? {
        if let mark {
            let (place, assignments) = columns.unmarking(row, mark.columns.map(\.name))
            let found = try connection.query("SELECT \(key.selected) \(rows) WHERE \(place)")
            let change =
                "UPDATE \(relation.sql) SET \(assignments) WHERE \(place) AND \(mark.isSet(in: relation))"
            guard try connection.query(change).changes > 0 else { return nil }
            return found.rows.first.map { PutRow(fingerprint: RowKey.fingerprint($0)) }
        }
        // INSERT IGNORE would hide other errors.
        do throws(ServerError) {
            try connection.query(columns.insertion(of: row))
        } catch {
            guard error.code == 1_062 else { throw error }
            return nil
        }
        guard let place = columns.isSame(key.index.columns, as: row) else { return nil }
        let found = try connection.query("SELECT \(key.selected) \(rows) WHERE \(place)")
        return found.rows.first.map { PutRow(fingerprint: RowKey.fingerprint($0)) }
    }

    private var rows: String { "FROM \(relation.sql) AS \(relation.alias)" }

    func obstacle(to row: [ArchivedValue]) throws -> RestoreSkip? {
        if let mark {
            let place = columns.unmarking(row, mark.columns.map(\.name)).place
            let found = try connection.query("SELECT \(mark.isSet(in: relation)) \(rows) WHERE \(place)")
            guard found.count > 0 else { return .gone }
            return found.isTrue(0, 0) ? nil : .unmarked
        }
        let isThere = try relation.indexes.filter(\.isUnique).contains { index in
            guard let place = columns.isSame(index.columns, as: row) else { return false }
            return try connection.query("SELECT 1 \(rows) WHERE \(place) LIMIT 1").count > 0
        }
        return isThere ? .exists : nil
    }

    /// A statement that fails has done nothing, and the transaction goes on.
    func attempt(_ body: () throws -> RestoreOutcome) throws -> RestoreOutcome? {
        do {
            return try body()
        } catch let error as ServerError where error.isOfRow {
            return error.code == 1_452 ? nil : .stays(.refused)
        }
    }
}

extension Mark {
    /// The mark that rows in the archive have; nil if they were deleted, or a column is gone.
    fileprivate init?(_ action: RowAction, on relation: Relation) throws(SchemaMismatch) {
        guard case .mark(let marked) = action else { return nil }
        var columns: [Column] = []
        for mark in marked {
            guard let column = relation[mark.column] else { return nil }
            columns.append(Column(mark.column, literal: try mark.value.literal(of: column)))
        }
        self.init(columns: columns)
    }
}

extension ServerError {
    /// Whether the server refuses a row: by a constraint, or because it is no value of a column.
    fileprivate var isOfRow: Bool {
        state.hasPrefix("23") || state.hasPrefix("22") || [1_265, 1_366, 4_025].contains(code)
    }
}
