import Archive
import CSQLite
import SQLite

/// The SQL function that hashes a row's values. By the hash a marked row is known to be the same when its mark is taken
/// back: another row may have got its key since.
enum RowWitness {
    private static let function = "pruned_row_witness"
    /// An SQL function takes no more arguments.
    private static let mostColumns = 100

    /// The columns of a row that a rule marks: those of its identity, else its time and what is no number, else all. The key
    /// and what is set are left out. An app may count in numbers, or refer to another row, while the row is marked.
    static func columns(of bound: BoundRule) -> [String] {
        let set = Set((bound.table.primaryKey + (bound.mark?.names ?? [])).map(\.comparedName))
        let identity = bound.identity?.names.filter { !set.contains($0.comparedName) } ?? []
        let others = bound.table.columns.filter { !$0.isGenerated && !set.contains($0.name.comparedName) }
        let telling = others.filter { $0.name == bound.time?.name || $0.isContent }
        let found = identity.isEmpty ? (telling.isEmpty ? others : telling).map(\.name) : identity
        return Array(found.prefix(mostColumns))
    }

    /// SQL for the hash of these columns.
    static func sql(_ columns: [String], of table: TableSchema) -> String {
        "\(function)(\(columns.map { "+" + table.column($0) }.joined(separator: ", ")))"
    }

    /// Makes the function known to `db`.
    static func define(in db: Database) throws {
        let code = sqlite3_create_function_v2(
            db.handle, function, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nil,
            { context, count, arguments in
                var bytes: [UInt8] = []
                for index in 0..<Int(count) {
                    RowEncoding.appendKey(argument: arguments?[index], to: &bytes)
                }
                sqlite3_result_int64(context, Int64(bitPattern: XXHash64.hash(bytes)))
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw DatabaseError(code, of: db.handle) }
    }
}
