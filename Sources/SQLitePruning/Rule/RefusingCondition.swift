import SQLite

/// A trigger of the rule's table that refuses to let a row go, or leaves it, with RAISE as its first statement.
///
/// What later statements of a trigger do only the run meets.
struct RefusingCondition {
    let trigger: String
    /// What it says; nil if it leaves the row without a word.
    let words: String?
    /// SQL of the row `old` that is true where the trigger refuses.
    let sql: String

    /// Those of `table` that a DELETE fires. What cannot be read of a row, such as `old.rowid`, only the run can tell.
    static func all(of table: TableSchema, in db: Database) throws -> [RefusingCondition] {
        try db.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND lower(tbl_name) = lower(:table) ORDER BY name",
            ["table": .text(table.name)]
        ).compactMap { RefusingCondition(trigger: $0[0].string, sql: $0[1].string) }.filter { refusing in
            let rows = "(SELECT * FROM \(table.name.quotedIdentifier)) AS old"
            return (try? db.queryPlan(of: "SELECT 1 FROM \(rows) WHERE \(refusing.sql)")) != nil
        }
    }

    init?(trigger: String, sql: String) {
        let tokens = SQLToken.all(of: sql)
        guard let on = tokens.firstIndex(where: { $0.isWord("on") }), on > 0, tokens[on - 1].isWord("delete"),
            let begin = tokens[on...].firstIndex(where: { $0.isWord("begin") }),
            let end = tokens[begin...].firstIndex(where: { $0.isSymbol(";") }), begin + 3 < end,
            tokens[begin + 1].isWord("select"), tokens[begin + 2].isWord("raise"),
            let close = tokens[begin..<end].firstIndex(where: { $0.isSymbol(")") })
        else { return nil }
        var terms: [String] = []
        if let when = tokens[on..<begin].firstIndex(where: { $0.isWord("when") }) {
            terms.append(String(sql[tokens[when].range.upperBound..<tokens[begin].range.lowerBound]))
        }
        if close + 1 < end {
            guard tokens[close + 1].isWord("where") else { return nil }
            terms.append(String(sql[tokens[close + 1].range.upperBound..<tokens[end].range.lowerBound]))
        }
        self.trigger = trigger
        words = tokens[begin..<close].last(where: \.isQuoted)?.text
        // A comment at the end of a line would hide what follows it.
        self.sql = terms.isEmpty ? "1" : terms.map { "(\($0)\n)" }.joined(separator: " AND ")
    }
}
