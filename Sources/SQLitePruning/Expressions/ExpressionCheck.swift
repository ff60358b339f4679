import Retention
import SQLite
import TerminalText

/// Checks an expression of a rule against the schema of its store, once, before it judges any row.
struct ExpressionCheck: Equatable {
    /// The keys of the expression in the configuration, below the rule.
    let keys: [String]
    let text: String
    let table: TableSchema

    /// The tables that the expression reads besides the rule's own. Throws a ``SchemaMismatch`` if the expression is not
    /// a condition on rows of the table that has the same result whenever it is evaluated.
    func tablesRead(in db: Database) throws -> Set<String> {
        let compiled: ExpressionCompilation
        do {
            compiled = try ExpressionCompilation(of: text, from: table.name.quotedIdentifier, in: db)
        } catch let refused as ExpressionCompilation.Refused {
            throw mismatch(refused)
        }
        guard compiled.columns.contains(where: { $0.table == table.name.comparedName && !$0.column.isEmpty })
        else {
            throw refusal(
                "is no condition on a row: it reads no column of \(table.name)", hint: columnHint)
        }
        try checkFunctions(compiled.functions, in: db)
        let others = compiled.tables.filter { $0.comparedName != table.name.comparedName }
        for other in others.sorted() { try checkIsOrdinary(other, in: db) }
        try checkTruth(others, in: db)
        try SubqueryCheck(expression: self, tables: others).check(in: db)
        return others
    }

    private func checkTruth(_ others: Set<String>, in db: Database) throws {
        let tables = try [table] + others.sorted().compactMap { try TableSchema($0, in: db) }
        guard let part = Truth(tables: tables).text(in: SQLToken.all(of: text)),
            let first = part.first, let last = part.last
        else { return }
        let written = text[first.range.lowerBound..<last.range.upperBound]
        throw refusal(
            "has a part that is no condition: \(written), for a text is false, whatever it says",
            hint: "write what it is compared with: \(written) <> '', or <> 0, or IS NOT NULL")
    }

    private func checkIsOrdinary(_ name: String, in db: Database) throws {
        guard let (_, kind) = try TableSchema.kind(of: name, in: db), kind == .table,
            !name.lowercased().hasPrefix("sqlite_")
        else {
            throw refusal(
                "reads \(name), which is not an ordinary table", hint: "read an ordinary table of the store")
        }
    }

    /// SQLite marks most functions as deterministic, also those on dates. With some arguments those are not.
    private func checkFunctions(_ names: Set<String>, in db: Database) throws {
        for name in names.sorted() {
            // An aggregate function has no such mark. Those named here do not depend on the order of the rows.
            let flags = try db.rows(
                "SELECT flags FROM pragma_function_list WHERE name = :name AND type = 's'",
                ["name": .text(name)])
            let isDeterministic =
                flags.isEmpty
                ? Self.aggregates.contains(name)
                : flags.allSatisfy { $0[0].integer & Self.deterministic != 0 }
            guard isDeterministic, !name.hasPrefix("current_"), !name.hasPrefix("pruned_") else {
                throw refusal(
                    "calls \(name)(), whose result is not the same each time",
                    hint: "rows are judged more than once; write a condition on their columns alone")
            }
        }
        guard !names.isDisjoint(with: Self.dateFunctions) else { return }
        let tokens = SQLToken.all(of: text)
        try checkMakesNoText(names, tokens)
        if let moving = tokens.first(where: {
            $0.isQuoted && Self.moving.contains($0.text.lowercased().trimmed)
        }) {
            throw refusal(
                "depends on the time at which it is evaluated: '\(moving.text)'",
                hint: "the age of a row is judged by age_column and keep")
        }
        for (index, token) in tokens.enumerated()
        where Self.dateFunctions.contains(token.text.lowercased()) {
            let needed = token.text.lowercased() == "strftime" ? 2 : 1
            guard tokens.arguments(after: index) ?? needed < needed else { continue }
            throw refusal(
                "calls \(token.text)() without a time, which means now",
                hint: "the age of a row is judged by age_column and keep")
        }
    }

    /// Beside a date function, every text must be written as it is, or come from a column: one that is put together could
    /// be `now`.
    private func checkMakesNoText(_ names: Set<String>, _ tokens: [SQLToken]) throws {
        let allowed = Self.dateFunctions.union(Self.aggregates).union(Self.makingNoText)
        var maker = names.subtracting(allowed).min().map { "calls \($0)()" }
        for (token, next) in zip(tokens, tokens.dropFirst()) {
            if token.isSymbol("|"), next.isSymbol("|") { maker = "has ||" }
            let touches = token.range.upperBound == next.range.lowerBound
            if token.isWord("x"), next.isQuoted, touches { maker = "has a blob" }
        }
        guard let maker else { return }
        throw refusal(
            "\(maker) beside a date function, which could make a text such as 'now'",
            hint: "give date functions columns, numbers and whole texts; protect may be several expressions")
    }

    /// Functions whose result is a number, the name of a type, or one of their arguments.
    private static let makingNoText: Set = [
        "abs", "avg", "coalesce", "glob", "ifnull", "iif", "instr", "length", "like", "likelihood", "likely",
        "nullif", "round", "sign", "sum", "total", "typeof", "unicode", "unlikely",
    ]

    /// `SQLITE_DETERMINISTIC`.
    private static let deterministic: Int64 = 0x800
    private static let aggregates: Set = ["count", "min", "max"]
    private static let dateFunctions: Set = [
        "date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff",
    ]
    private static let moving: Set = ["now", "localtime", "utc", "subsec", "subsecond"]

    private func mismatch(_ refused: ExpressionCompilation.Refused) -> SchemaMismatch {
        let place = refused.offset.map { offset in
            ", at character \(String(decoding: Array(text.utf8.prefix(offset)), as: UTF8.self).count + 1)"
        }
        let unknown = refused.reason.split(separator: ":").last.map { String($0).trimmed } ?? ""
        let isName = refused.reason.hasPrefix("no such column")
        let name = unknown.split(separator: ".").last.map(String.init) ?? unknown
        let nearest = isName ? table.columns.map(\.name).nearest(to: name) : nil
        return refusal(
            "cannot be used: \(refused.reason)\(place ?? "")",
            hint: nearest.map { "did you mean \"\($0)\"?" } ?? columnHint)
    }

    /// For ``OwnDependents``.
    var words: [OwnDependents.Word] {
        SQLToken.all(of: text).map {
            OwnDependents.Word(String(decoding: $0.text.comparedName, as: UTF8.self), isQuoted: $0.isQuoted)
        }
    }

    private var columnHint: String {
        "the columns of \(table.name) are " + table.columns.map(\.name).joined(separator: ", ")
    }

    func refusal(_ reason: String, hint: String) -> SchemaMismatch {
        SchemaMismatch("\(keys.joined(separator: ".")) = \"\(text)\" \(reason)", hint: hint, keys: keys)
    }
}

extension String {
    /// Without white space at its ends.
    fileprivate var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
