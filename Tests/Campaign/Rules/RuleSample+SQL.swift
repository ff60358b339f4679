extension RuleSample {
    /// The statements that make the tables in SQLite and fill them, in one transaction.
    var sqlite: String {
        // Without a type, values stay as they were written.
        let types = [
            "at": "", "a": "INTEGER", "b": "", "c": "TEXT", "g": "COLLATE \(shape.collation)", "h": "",
            "m": "",
            "n": "TEXT", "hash": "TEXT",
        ]
        let tail = shape.isWithoutRowID ? " WITHOUT ROWID" : ""
        return """
            \(tables(types, text: "TEXT", tail: tail))
            \(inserts)
            """
    }

    /// The statements that make the tables on a server and fill them, for `role` to prune.
    func sql(for role: String) -> String { kind == .mariaDB ? mariaDB : postgreSQL(for: role) }

    private var mariaDB: String {
        let collations = [
            "BINARY": "utf8mb4_nopad_bin", "NOCASE": "utf8mb4_general_nopad_ci", "RTRIM": "utf8mb4_bin",
        ]
        let types = [
            "at": format.type, "a": "int", "b": "int",
            "c": "varchar(40) COLLATE \(shape.ignoresCase ? "utf8mb4_general_ci" : "utf8mb4_bin")",
            "g": "varchar(9) COLLATE \(collations[shape.collation] ?? "")", "h": "int", "m": "int",
            "n": "varchar(40)", "hash": "varchar(40)",
        ]
        return """
            \(tables(types, text: "varchar(40) COLLATE utf8mb4_bin", tail: ""))
            BEGIN;
            \(inserts)
            COMMIT;
            """
    }

    private func postgreSQL(for role: String) -> String {
        let types = [
            "at": format.type, "a": "int", "b": "int", "c": shape.ignoresCase ? "public.citext" : "text",
            "g": "text", "h": "int", "m": "int",
            "n": "text",
            "hash": "text",
        ]
        let schema = names.schema ?? ""
        return """
            CREATE SCHEMA \(schema);
            \(shape.ignoresCase ? "CREATE EXTENSION IF NOT EXISTS citext SCHEMA public;" : "")
            \(tables(types, text: "text", tail: ""))
            \(shape.hasLongRows ? padding : "")
            \(inserts)
            GRANT USAGE ON SCHEMA \(schema) TO \(role);
            GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO \(role);
            """
    }

    private var padding: String {
        """
        ALTER TABLE \(names.table("t")) ADD COLUMN padding text DEFAULT repeat('x', 3000);
        ALTER TABLE \(names.table("t")) ALTER COLUMN padding SET STORAGE PLAIN;
        """
    }

    /// The columns of the table after its key.
    static let columns = ["at", "a", "b", "c", "g", "h", "m", "n", "hash"]

    private func tables(_ types: [String: String], text: String, tail: String) -> String {
        let keyTypes = shape.key == .text ? [text] : ["INTEGER", text]
        let keys = zip(shape.keyColumns, keyTypes).map { "\(names.column($0)) \($1)" }
        let primary = shape.keyColumns.map(names.column).joined(separator: ", ")
        let columns = Self.columns.map { "\(names.column($0)) \(types[$0] ?? "")" }
        let constraint = shape.key == .none ? [] : ["PRIMARY KEY (\(primary))"]
        let item = shape.key == .text ? text : "INTEGER"
        var made = [
            "CREATE TABLE \(names.table("t")) (\((keys + columns + ["tag INTEGER"] + constraint).joined(separator: ", ")))\(tail);",
            "CREATE TABLE \(names.table("k0")) (\(names.column("item")) \(item) UNIQUE);",
            "CREATE TABLE \(names.table("k1")) (\(names.column("item")) \(item) PRIMARY KEY);",
            "CREATE TABLE \(names.table("label")) (item INTEGER, kind INTEGER, PRIMARY KEY (item, kind));",
            "CREATE TABLE \(names.table("gone")) (\(names.column("hash")) \(text) PRIMARY KEY);",
        ]
        made += shape.indexes.map {
            "CREATE INDEX \(names.index) ON \(names.table("t")) (\($0.map(names.column).joined(separator: ", ")));"
        }
        for (level, _) in children.enumerated() {
            let above = level == 0 ? shape.keyColumns : ["id"]
            let ups = above.indices.map { "up\($0)" }
            let upTypes = level == 0 ? keyTypes : ["INTEGER"]
            let list = zip(ups, upTypes).map { "\($0) \($1)" }.joined(separator: ", ")
            let parent = level == 0 ? "t" : "u\(level)"
            let referred = level == 0 ? primary : "id"
            made.append(
                "CREATE TABLE \(names.table("u\(level + 1)")) (id INTEGER PRIMARY KEY, \(list), FOREIGN KEY "
                    + "(\(ups.joined(separator: ", "))) REFERENCES \(names.table(parent)) (\(referred)) ON DELETE CASCADE);\n"
                    + "CREATE INDEX \(names.index) ON \(names.table("u\(level + 1)")) (\(ups.joined(separator: ", ")));"
            )
        }
        return made.enumerated().map { $1.replacing("#", with: "\($0)") }.joined(separator: "\n")
    }

    private var inserts: String {
        var lines = rows.flatMap { row in
            [insert(row)]
                + row.labels.map { "INSERT INTO \(names.table("label")) VALUES (\(row.tag), \($0));" }
                + row.keepers.map { "INSERT INTO \(names.table("k\($0)")) VALUES (\(keeper(row)));" }
        }
        lines += Self.earlierTombstones.map { "INSERT INTO \(names.table("gone")) VALUES ('\($0)');" }
        let keys = Dictionary(uniqueKeysWithValues: rows.map { ($0.tag, $0.key) })
        for (level, child) in children.enumerated() {
            for (number, above) in child.rows.enumerated() {
                let columns = level == 0 ? shape.keyColumns.count : 1
                let none = Array(repeating: "NULL", count: columns)
                let up = above.map { level == 0 ? keys[$0] ?? none : ["\($0)"] } ?? none
                lines.append(
                    "INSERT INTO \(names.table("u\(level + 1)")) VALUES (\(number + 1), \(up.joined(separator: ", ")));"
                )
            }
        }
        return lines.joined(separator: "\n")
    }

    /// What a keeper has of a row. Rows that no keeper can name have a number.
    private func keeper(_ row: SampleRow) -> String { shape.isReferable ? row.key[0] : "\(row.tag)" }

    /// The statement that writes a row.
    func insert(_ row: SampleRow) -> String {
        let numbers = ["a", "b"].map { (row.numbers[$0] ?? nil).map(String.init) ?? "NULL" }
        let text = row.text.map { "'\($0.replacing("'", with: "''"))'" } ?? "NULL"
        let others = [row.groups["g"], row.groups["h"], row.marks["m"], row.marks["n"]].map { $0 ?? "NULL" }
        let values =
            row.key + [row.time.written] + numbers + [text] + others + ["'\(row.hash)'", "\(row.tag)"]
        return "INSERT INTO \(names.table("t")) VALUES (\(values.joined(separator: ", ")));"
    }
}
