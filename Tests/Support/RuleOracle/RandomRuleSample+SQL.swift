extension RandomRuleSample {
    /// The statements that make the sample in SQLite.
    package var sqlite: String {
        let key = isWithoutRowID ? "id INTEGER PRIMARY KEY NOT NULL" : "id INTEGER PRIMARY KEY"
        // Without a type, so that values stay as they were written.
        return """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = OFF;
            CREATE TABLE t (\(key), at, a INTEGER, b, c TEXT, g COLLATE \(groupCollation), h, m INTEGER, hash TEXT)\
            \(isWithoutRowID ? " WITHOUT ROWID" : "");
            CREATE TABLE k0 (item INTEGER UNIQUE);
            CREATE TABLE k1 (item INTEGER PRIMARY KEY) WITHOUT ROWID;
            CREATE TABLE label (item INTEGER, kind INTEGER, PRIMARY KEY (item, kind)) WITHOUT ROWID;
            CREATE TABLE gone (hash TEXT PRIMARY KEY);
            INSERT INTO gone VALUES ('h1');
            \(indexes.joined(separator: ";\n"));
            BEGIN;
            \(inserts { $0 })
            COMMIT;
            """
    }

    package func makeStore() throws -> TemporaryStore { try TemporaryStore(sqlite) }

    /// The statements that make the sample in PostgreSQL, in place of an earlier one. `role` gets what the rule needs.
    package func postgreSQL(for role: String) -> String {
        let verb = rule.action.isMark ? "UPDATE" : "DELETE"
        return """
            DROP TABLE IF EXISTS t, k0, k1, label, gone;
            CREATE TABLE t (id int \(shape.isPartitioned ? "" : "PRIMARY KEY"), at \(shape.timeType(in: times.format)), a int,
                b int, c text, g text, h int, m int, hash text\(shape.isPartitioned ? ", PRIMARY KEY (id)" : ""))
                \(shape.isPartitioned ? "PARTITION BY HASH (id)" : "");
            \(shape.partitions)
            CREATE TABLE k0 (item int UNIQUE);
            CREATE TABLE k1 (item int PRIMARY KEY);
            CREATE TABLE label (item int, kind int, PRIMARY KEY (item, kind));
            CREATE TABLE gone (hash text PRIMARY KEY);
            INSERT INTO gone VALUES ('h1');
            \((indexes + shape.indexes).joined(separator: ";\n"));
            \(inserts(shape.time(in: times.format)))
            GRANT SELECT, \(verb) ON t TO \(role);
            GRANT SELECT ON k0, k1, label TO \(role);
            GRANT SELECT, INSERT ON gone TO \(role);
            """
    }

    private func inserts(_ time: (String) -> String) -> String {
        rows.map { row in
            let text = row.text.map { "'\($0.replacing("'", with: "''"))'" } ?? "NULL"
            let values = [
                "\(row.id)", time(row.written), sql(row.numbers["a"] ?? nil), sql(row.numbers["b"] ?? nil),
                text, row.groups[0], row.groups[1], sql(row.mark), "'\(row.hash)'",
            ]
            let labels = row.labels.map { "INSERT INTO label VALUES (\(row.id), \($0));" }
            let keepers = row.keepers.map { "INSERT INTO k\($0) VALUES (\(row.id));" }
            return "INSERT INTO t VALUES (\(values.joined(separator: ", ")));" + (labels + keepers).joined()
        }.joined(separator: "\n")
    }

    private func sql(_ number: Int?) -> String { number.map(String.init) ?? "NULL" }
}
