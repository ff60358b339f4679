/// A sample in an SQLite file.
struct SQLiteSample: SampleStore {
    private let sample: RuleSample
    private let file: StoreFile

    init(_ sample: RuleSample, in file: StoreFile) {
        (self.sample, self.file) = (sample, file)
    }

    func execute(_ sql: String) throws { try file.execute(sql) }

    func content() throws -> StoreContent {
        let tables = try sample.tables.map { table in
            let columns = sample.columns(of: table)
            let others = columns.others.map { "quote(\($0))" }.joined(separator: " || ',' || ")
            let list =
                ([columns.number] + columns.marked).map { "quote(\($0))" } + [others.isEmpty ? "''" : others]
            return (
                table,
                Set(try file.rows("SELECT \(list.joined(separator: ", ")) FROM \(sample.names.table(table))"))
            )
        }
        return StoreContent(tables: Dictionary(uniqueKeysWithValues: tables))
    }

    func damage() throws -> String? {
        let lines =
            try file.texts("PRAGMA integrity_check")
            + file.texts("SELECT 'a row without the one above' FROM pragma_foreign_key_check LIMIT 1")
        return lines == ["ok"] ? nil : lines.joined(separator: "; ")
    }
}
