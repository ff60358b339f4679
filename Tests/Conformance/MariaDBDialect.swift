extension CaseDialect {
    /// Times are instants, as TIMESTAMP has them.
    static let mariaDB = mariaDB(times: "TIMESTAMP", settings: "")
    /// Times are those of a clock on the wall, as DATETIME has them.
    static let mariaDBWall = mariaDB(times: "DATETIME", settings: "column_zone = \"UTC\"\n")

    /// For a session with ``mariaDBSession``.
    private static func mariaDB(times: String, settings: String) -> CaseDialect {
        CaseDialect(
            type: { kind in
                switch kind {
                case .key, .link, .group, .int, .seconds: "BIGINT"
                case .code, .tag, .text: "VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
                case .real: "DOUBLE"
                case .uuid: "UUID"
                case .bool: "BOOLEAN"
                case .time: times
                }
            },
            time: { "FROM_UNIXTIME(\($0))" }, truth: { $0 }, timeSettings: settings,
            real: { "CAST(\($0) AS DOUBLE)" },
            quoted: { "\"\($0)\"" }, constraint: mariaDBConstraint, index: mariaDBIndex)
    }

    /// What a session says first that makes or reads tables of this dialect.
    static let mariaDBSession = """
        SET SESSION time_zone = '+00:00', max_recursive_iterations = 1000000,
            sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES');

        """

    /// MariaDB wants the column that a foreign key refers to, and does not know when one is checked: it is at each row.
    @Sendable private static func mariaDBConstraint(
        _ column: CaseTable.Column, _ conformance: Case
    ) -> (ofColumn: String, ofTable: String) {
        let quote = { (names: Substring) in
            "(" + names.split(separator: ", ").map { "\"\($0)\"" }.joined(separator: ", ") + ")"
        }
        // Names may be words of MariaDB's own.
        let text = column.constraint.replacing(/\((\w+(?:, \w+)*)\)/) { quote($0.1) }
        let reference = /REFERENCES (\w+)(?: (\([^)]*\)))?( ON DELETE (?:SET \w+|NO ACTION|\w+))?/
        guard !text.hasPrefix(","), let match = text.firstMatch(of: reference) else { return (text, "") }
        let table = conformance.tables.first { $0.name == match.1 }
        let key = (table.map { table in table.key.map { table.columns[$0].name } } ?? [])
            .joined(separator: ", ")
        return (
            String(text[..<match.range.lowerBound]),
            "FOREIGN KEY (\"\(column.name)\") REFERENCES \(match.1) "
                + (match.2.map(String.init) ?? quote(Substring(key))) + (match.3 ?? "")
        )
    }

    /// It wants a name for each index, and a column for each expression of one.
    @Sendable private static func mariaDBIndex(_ index: String, number: Int) -> String {
        guard let match = index.wholeMatch(of: /(\w+) \((?:\((.+)\)|(.+))\)/) else { return index }
        if let expression = match.2 {
            let name = "indexed_\(number)"
            return "ALTER TABLE \(match.1) ADD COLUMN \(name) BIGINT AS (\(expression)) VIRTUAL INVISIBLE, "
                + "ADD INDEX (\(name))"
        }
        let columns = (match.3 ?? "").split(separator: ", ").map { "\"\($0)\"" }
        return "CREATE INDEX index_\(number) ON \(match.1) (\(columns.joined(separator: ", ")))"
    }
}
