import CSQLite
import Pruning
import Retention
import RuleEngine
import SQLite

/// Tries a rule's mark on copies of some expired rows, because only the table itself can tell which values its
/// constraints refuse.
///
/// What cannot be tried here, such as a CHECK with a function of the app, is left to the first batch, which is rolled
/// back.
struct MarkTrial {
    let condition: ExpiryCondition
    /// The store's path.
    let path: String

    private var bound: BoundRule { condition.bound }
    private var table: TableSchema { bound.table }

    /// Whether the table may refuse a value that is not NULL, in a column that no index and no key has.
    static func isNeeded(for bound: BoundRule, in db: Database) throws -> Bool {
        guard bound.mark != nil else { return false }
        let creation = try creation(of: bound.table, in: db)
        return bound.table.isStrict || SQLToken.all(of: creation).contains { $0.isWord("check") }
    }

    private static func creation(of table: TableSchema, in db: Database) throws -> String {
        try db.value(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = :name", ["name": .text(table.name)]
        ).string
    }

    /// Throws ``StoreErrorKind/schema`` if the table refuses the values for one of the rows.
    func run(in db: Database) throws {
        guard let mark = bound.mark, try Self.isNeeded(for: bound, in: db) else { return }
        let creation = try Self.creation(of: table, in: db)
        guard let copy = try? Copy(of: table, by: creation) else { return }
        defer { copy.close() }
        for place in [first, last] {
            try db.eachStep(
                "SELECT \(names) FROM \(table.name.quotedIdentifier) WHERE \(place)", condition.values()
            ) { row throws(DatabaseError) in try copy.set(mark.assignments, in: row.row) }
            if let refusal = copy.refusal { throw error(refusal, mark) }
        }
    }

    private var names: String { table.storedColumns.map(table.column).joined(separator: ", ") }

    /// The first expired rows that SQLite finds.
    private var first: String {
        (condition.withinWindow + [condition.expired]).joined(separator: " AND ") + " LIMIT \(Self.rows)"
    }

    /// The last expired rows, if they are among the last rows of the table.
    private var last: String {
        let parts = table.keyParts.indices.map { "k\($0)" }
        let keys = zip(table.keyParts, parts).map { "\($0) AS \($1)" }.joined(separator: ", ")
        let backwards = table.keyParts.map { $0 + " DESC" }.joined(separator: ", ")
        return """
            \(table.keySQL) IN (SELECT \(parts.joined(separator: ", ")) FROM (\
            SELECT \(keys), (\(condition.expired)) AS isExpired FROM \(table.itself) \
            ORDER BY \(backwards) LIMIT \(Self.mostRowsRead)) WHERE isExpired LIMIT \(Self.rows))
            """
    }

    private static let rows = 50
    private static let mostRowsRead = 10_000

    private func error(_ refusal: String, _ mark: Mark) -> StoreError {
        StoreError(
            .schema, operation: "apply rule \(bound.rule.name)", place: path,
            cause: "table \(table.name) refuses a row with these values: \(refusal)",
            hint: "set what the app itself sets when it deletes a row",
            setting: mark.setting(of: bound.rule))
    }
}

extension MarkTrial {
    /// A table like the rule's, in a database in memory.
    private final class Copy {
        private let db: Database
        private let table: TableSchema
        /// What the table says of the first row that it refused; nil if it refused none.
        private(set) var refusal: String?

        init(of table: TableSchema, by creation: String) throws {
            self.table = table
            db = try Database(uri: "file::memory:", isReadOnly: false, busyTimeout: 0)
            // As SQLite reads the schema of a store that has it already.
            _ = sqlite3_db_config_int(db.handle, SQLITE_DBCONFIG_DQS_DDL, 1)
            try db.execute("PRAGMA foreign_keys = OFF")
            try db.execute(creation)
        }

        func close() { db.close() }

        /// Sets columns of a copy of `row`. A row that the table would not take as it is proves nothing.
        func set(_ assignments: String, in row: Row) throws(DatabaseError) {
            guard refusal == nil, (try? insert(row)) != nil else { return }
            let name = table.name.quotedIdentifier
            do {
                try db.execute("UPDATE OR ABORT \(name) SET \(assignments)")
            } catch {
                if error.isConstraint { refusal = error.message }
            }
            try db.execute("DELETE FROM \(name)")
        }

        private func insert(_ row: Row) throws(DatabaseError) {
            let columns = table.storedColumns
            let names = columns.map(\.quotedIdentifier).joined(separator: ", ")
            let values = Dictionary(uniqueKeysWithValues: row.enumerated().map { ("v\($0)", $1) })
            try db.execute("PRAGMA ignore_check_constraints = ON")
            defer { try? db.execute("PRAGMA ignore_check_constraints = OFF") }
            try db.execute(
                """
                INSERT INTO \(table.name.quotedIdentifier) (\(names)) \
                VALUES (\(columns.indices.map { ":v\($0)" }.joined(separator: ", ")))
                """, values)
        }
    }
}
