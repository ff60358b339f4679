import Pruning
import RuleEngine
import SQLite

/// The rows that a batch is about to delete, and what their rule declares of rows of other tables that refer to them.
///
/// The rows are noted in a temporary table first: once the rows that belong to them are gone, a condition that reads these
/// would judge otherwise.
struct DoomedRows {
    private let bound: BoundRule
    private let rows: PresumedRows
    private let references: [(key: ForeignKey, child: TableSchema)]

    /// Nil if the rule declares nothing.
    init?(of bound: BoundRule, in db: Database) throws {
        guard !bound.declaredChildren.isEmpty else { return nil }
        self.bound = bound
        references = Array(zip(bound.binding.declaredKeys, bound.declaredChildren))
        rows = try PresumedRows(of: bound.table, named: "pruned doomed", in: db)
    }

    /// Notes the rows of `place`, which follows WHERE, and forgets those of before.
    func note(_ place: String, _ values: [String: DatabaseValue], in db: Database) throws {
        try db.execute("DELETE FROM \(rows.name)")
        try db.execute("INSERT INTO \(rows.name) SELECT \(bound.table.keyOrder) \(bound.from(place))", values)
    }

    /// SQL that is true of the noted rows.
    var place: String {
        let key = bound.table.key.map(\.quotedIdentifier).joined(separator: ", ")
        return "\(bound.table.keySQL) IN (SELECT \(key) FROM \(rows.name))"
    }

    /// Deletes the rows that belong to the noted ones, and detaches those that only refer to them. Returns how many were
    /// detached.
    ///
    /// An index may be damaged and find other rows. Those that it finds are looked up by their keys.
    func changeReferring(in db: Database) throws -> Int64 {
        var detached: Int64 = 0
        for (key, child) in references {
            let column = child.column(key.childColumns[0])
            let refers =
                "\(column) IN (SELECT \(bound.table.column(key.parentColumns[0])) \(bound.from(place)))"
            let found =
                "\(child.keySQL) IN (SELECT \(child.keyOrder) FROM \(child.name.quotedIdentifier) WHERE \(refers))"
            if key.cascades {
                try db.execute("DELETE FROM \(child.itself) WHERE \(found) AND \(refers)")
            } else {
                let name = key.childColumns[0].quotedIdentifier
                try db.execute(
                    "UPDATE OR ABORT \(child.itself) SET \(name) = NULL WHERE \(found) AND \(refers)")
                detached += db.changes
            }
        }
        return detached
    }
}
