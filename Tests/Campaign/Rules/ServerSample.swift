/// A sample in a database of a server.
struct ServerSample: SampleStore {
    private let sample: RuleSample
    private let connection: any ServerSession

    init(_ sample: RuleSample, in connection: any ServerSession) {
        (self.sample, self.connection) = (sample, connection)
    }

    func execute(_ sql: String) throws { try connection.execute(sql) }

    func content() throws -> StoreContent {
        let type = sample.kind == .mariaDB ? "char" : "text"
        let plain = { (column: String) in "coalesce(CAST(\(column) AS \(type)), 'NULL')" }
        let quoted = { (column: String) in
            "coalesce('''' || replace(\(column), '''', '''''') || '''', 'NULL')"
        }
        let tables = try sample.tables.map { table in
            let columns = sample.columns(of: table)
            // Numbers without quotes, as in the statements that wrote them.
            let number = table == "gone" ? quoted(columns.number) : plain(columns.number)
            let marked = columns.marked.isEmpty ? [] : [plain(columns.marked[0]), quoted(columns.marked[1])]
            let others = (["''"] + columns.others.map(plain)).joined(separator: ", ")
            let list = ([number] + marked + ["concat_ws(',', \(others))"]).joined(separator: ", ")
            return (table, Set(try connection.rows("SELECT \(list) FROM \(sample.names.table(table))")))
        }
        return StoreContent(tables: Dictionary(uniqueKeysWithValues: tables))
    }

    func damage() throws -> String? { nil }
}
