import Foundation
import TestSupport

/// How an engine has the tables of a case.
struct CaseDialect: Sendable {
    /// The type of a column, as SQL.
    let type: @Sendable (CaseTable.Column.Kind) -> String
    /// A time from its seconds since 1970, as SQL.
    let time: @Sendable (Int64) -> String
    /// A truth value from 0 or 1, as SQL.
    let truth: @Sendable (String) -> String
    /// What a rule says of its time column.
    let timeSettings: String
    /// A number with a fraction, as SQL.
    var real: @Sendable (String) -> String = { $0 }
    /// A name, as SQL.
    var quoted: @Sendable (String) -> String = { $0 }
    /// What follows the type of a column of a table, as SQL, and what follows the columns because of it, or nothing.
    var constraint: @Sendable (CaseTable.Column, Case) -> (ofColumn: String, ofTable: String) = {
        column, _ in (column.constraint, "")
    }
    /// The statement that makes an index such as `item (feed, at)`, by its number.
    var index: @Sendable (String, Int) -> String = { index, _ in "CREATE INDEX ON \(index)" }

    static let sqlite = CaseDialect(
        type: { kind in
            switch kind {
            case .key, .link, .group, .int, .time, .seconds: "INTEGER"
            case .code, .tag, .text, .uuid: "TEXT"
            case .real: "REAL"
            case .bool: "BOOLEAN"
            }
        },
        time: { "\($0)" }, truth: { $0 }, timeSettings: "unit = \"s\"\n")

    static let postgreSQL = CaseDialect(
        type: { kind in
            switch kind {
            case .key, .link, .group, .int, .seconds: "bigint"
            case .code, .tag, .text: "text"
            case .uuid: "uuid"
            case .real: "double precision"
            case .bool: "boolean"
            case .time: "timestamptz"
            }
        },
        time: { "to_timestamp(\($0))" }, truth: { "(\($0) = 1)" }, timeSettings: "",
        real: { "\($0)::float8" })

    /// The distance between the keys of two copies.
    static let stride = 1_000

    /// The statements that make the tables, with `copies` more of all rows.
    func statements(_ conformance: Case, copies: Int) throws -> [String] {
        try conformance.tables.flatMap { try statements($0, of: conformance, copies: copies) }
            + conformance.indexes.enumerated().map { index($1, $0) }
    }

    private func statements(_ table: CaseTable, of conformance: Case, copies: Int) throws -> [String] {
        let constraints = table.columns.map { constraint($0, conformance) }
        let columns = zip(table.columns, constraints).map { column, constraint in
            let isKey = [.key, .code].contains(column.type)
            return "\(quoted(column.name)) \(type(column.type))"
                + "\(isKey ? " PRIMARY KEY" : "") \(constraint.ofColumn)"
        }
        let others = constraints.map(\.ofTable).filter { !$0.isEmpty }
        let rows = try table.before.map { try literals($0, of: table) }
        var all = ["CREATE TABLE \(table.name) (\((columns + others).joined(separator: ", ")))"]
        guard !rows.isEmpty else { return all }
        // A column that is computed may follow them.
        let names = table.columns.map { quoted($0.name) }.joined(separator: ", ")
        all.append("INSERT INTO \(table.name) (\(names)) VALUES \(rows.joined(separator: ", "))")
        guard copies > 0 else { return all }
        let shifted = table.columns.map { column in
            let name = quoted(column.name)
            return switch column.type {
            case .key, .link, .group: "\(name) + copy * \(Self.stride)"
            case .code, .tag: "\(name) || '-' || copy"
            default: name
            }
        }
        all.append(
            """
            INSERT INTO \(table.name) (\(names)) WITH RECURSIVE copies (copy) AS \
            (SELECT 1 UNION ALL SELECT copy + 1 FROM copies WHERE copy < \(copies)) \
            SELECT \(shifted.joined(separator: ", ")) FROM copies CROSS JOIN \(table.name) ORDER BY copy
            """)
        return all
    }

    /// A row as SQL, such as `(1, 'a')`.
    func literals(_ row: CaseTable.Row, of table: CaseTable) throws -> String {
        "(\(try zip(row.values, table.columns).map { try literal($0, $1.type) }.joined(separator: ", ")))"
    }

    private func literal(_ value: String, _ type: CaseTable.Column.Kind) throws -> String {
        guard value != "NULL" else { return value }
        return switch type {
        case .key, .link, .group, .int: value
        case .real: real(value)
        case .code, .tag, .text, .uuid: "'\(value.replacing("'", with: "''"))'"
        case .bool: truth(value)
        case .time: time(try CaseTime(value).seconds)
        case .seconds: "\(try CaseTime(value).seconds)"
        }
    }

    /// The configuration of a store `s` with the rules.
    func configuration(_ rules: String, store: String) -> String {
        let rules = rules.split(separator: "\n[", omittingEmptySubsequences: false).enumerated()
            .map {
                index, rule in
                var text = (index > 0 ? "\n[" : "") + rule + "\n"
                let hasTime = text.contains("age_column") || text.contains("expires_column")
                if hasTime, !text.contains("unit =") { text += timeSettings }
                if !text.contains("archive =") { text += "archive = true\n" }
                return text
            }
        return """
            time_zone = "UTC"
            [guard]
            max_share = 1
            [store.s]
            \(store)
            \(rules.joined())
            """
    }
}

/// A time relative to the start of the run, such as `-30d`, `+1h` or `-30d1s`.
struct CaseTime {
    let seconds: Int64

    struct Malformed: Error { let text: String }

    init(_ text: String) throws {
        let match = try /([-+]?)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)s)?/.wholeMatch(in: text)
        guard let parts = match?.output, !text.isEmpty else { throw Malformed(text: text) }
        func number(_ part: Substring?) -> Int64 { part.flatMap { Int64($0) } ?? 0 }
        let distance = number(parts.2) * 86_400 + number(parts.3) * 3_600 + number(parts.4)
        let start = Int64(runStart.timeIntervalSince1970)
        seconds = parts.1 == "-" ? start - distance : start + distance
    }
}
