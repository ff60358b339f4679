import SQLite

/// Checks the subqueries of an expression.
struct SubqueryCheck {
    let expression: ExpressionCheck
    /// The tables that the subqueries may read.
    let tables: Set<String>

    private var table: TableSchema { expression.table }

    func check(in db: Database) throws {
        guard
            SQLToken.all(of: expression.text).contains(where: { $0.isWord("select") || $0.isWord("in") })
                || !tables.isEmpty
        else { return }
        try checkNames(in: db)
        try checkScans(in: db)
    }

    /// Throws if a name in a subquery could come to mean another column, without an error, as soon as a table of the
    /// subquery gets a column of that name, or if a subquery reads the rule's own table.
    ///
    /// The expression is compiled against two schemas of its own. In one, each other table also has every name that the
    /// expression contains as a column, and in the other one as many columns of names that it does not contain. It
    /// must read the same columns in both. The rule's table exists in them only for the outer query: a subquery on it
    /// would judge rows by others that the run deletes.
    private func checkNames(in db: Database) throws {
        let others = try tables.sorted().compactMap { try TableSchema($0, in: db) }
        let tokens = SQLToken.all(of: expression.text)
        guard !tokens.contains(where: { $0.isWord("natural") }) else {
            throw expression.refusal(
                "joins tables by all columns that have the same names, which may become more",
                hint: "write ON or USING instead of NATURAL")
        }
        let names = Self.names(in: tokens, of: expression.text)
        let strange = String(repeating: "_", count: expression.text.utf8.count)
        let now = try reads(others, with: names.indices.map { "\(strange)\($0)" }, instead: names)
        let later = try reads(others, with: names, instead: names)
        guard now != later else { return }
        let (old, new) = zip(now, later).first { $0 != $1 } ?? (now.last, later.last)
        let name = new?.name ?? ""
        throw expression.refusal(
            "names \(name) in a subquery without its table",
            hint: old?.name == name
                ? "write \(old?.table ?? "").\(name): another table of the subquery may get a column \(name), too"
                : "a table of the subquery may get a column \(name), too; write the column that is meant, with its table"
        )
    }

    /// What can be the name of a column without its table. Nobody calls a column TRUE.
    private static func names(in tokens: [SQLToken], of text: String) -> [String] {
        var seen: Set = ["true".comparedName, "false".comparedName]
        return tokens.filter { token in
            guard let first = text[token.range].unicodeScalars.first, first != "'", !token.text.isEmpty else {
                return false
            }
            let isName = token.isQuoted || !first.isASCII || first.properties.isAlphabetic || first == "_"
            return isName && seen.insert(token.text.comparedName).inserted
        }.map(\.text)
    }

    /// A column that is read: where it is in its table does not depend on what a column that was added is called.
    private struct Read: Equatable {
        let table: String
        let position: Int?
        let name: String

        static func == (a: Read, b: Read) -> Bool {
            (a.table, a.position) == (b.table, b.position) && (a.position != nil || a.name == b.name)
        }
    }

    /// The columns that the expression reads if each table also has those of `added` whose names in `names` it does not
    /// have.
    private func reads(
        _ others: [TableSchema], with added: [String], instead names: [String]
    ) throws -> [Read] {
        let memory = try Database(uri: "file::memory:", isReadOnly: false, busyTimeout: 0)
        defer { memory.close() }
        let stand = "pruned \(table.name)"
        var columns = [stand.comparedName: (table.name, table.columns.map(\.name))]
        try memory.execute(Self.creation(stand, table.columns.map(\.name)))
        for other in others {
            let own = Set(other.columns.map(\.name.comparedName))
            let more = zip(names, added).filter { !own.contains($0.0.comparedName) }.map(\.1)
            columns[other.name.comparedName] = (other.name, other.columns.map(\.name) + more)
            try memory.execute(Self.creation(other.name, other.columns.map(\.name) + more))
        }
        do {
            return try ExpressionCompilation(
                of: expression.text, from: "\(stand.quotedIdentifier) AS \(table.name.quotedIdentifier)",
                in: memory
            ).reads.map { read in
                let (table, names) = columns[read.table] ?? ("", [])
                let position = names.firstIndex { $0.comparedName == read.column }
                let name = position.map { names[$0] } ?? String(decoding: read.column, as: UTF8.self)
                return Read(table: table, position: position, name: name)
            }
        } catch let refused as ExpressionCompilation.Refused {
            throw refusal(refused.reason)
        }
    }

    private func refusal(_ reason: String) -> SchemaMismatch {
        let ambiguous = "ambiguous column name: "
        if reason.hasPrefix(ambiguous) {
            return expression.refusal(
                "names \(reason.dropFirst(ambiguous.count)) in a subquery without its table",
                hint: "write its table, too: another table of the subquery may get such a column")
        }
        let isOwn = reason.hasPrefix("no such table")
        return expression.refusal(
            isOwn
                ? "reads \(table.name) itself in a subquery, and rows of it are deleted in the run"
                : "cannot be checked: \(reason)",
            hint: isOwn
                ? "what is kept must not depend on what is deleted; keep_last keeps the newest rows"
                : "write a simpler condition")
    }

    private static func creation(_ name: String, _ columns: [String]) -> String {
        "CREATE TABLE \(name.quotedIdentifier) (\(columns.map(\.quotedIdentifier).joined(separator: ", ")))"
    }

    /// Throws if a subquery would read a whole table of many rows for each batch, or even for each row.
    private func checkScans(in db: Database) throws {
        guard !tables.isEmpty else { return }
        let steps = try db.queryPlan(
            of: "SELECT 1 FROM \(table.itself) WHERE \(RowExpression(text: expression.text).isTrue)")
        let scans = steps.filter { $0.hasPrefix("SCAN ") }.map { $0.dropFirst("SCAN ".count) }
        let tokens = SQLToken.all(of: expression.text)
        for other in tables.sorted() {
            let names = [other] + tokens.aliases(of: other)
            let isScanned = scans.contains { scan in
                names.contains {
                    scan.lowercased() == $0.lowercased() || scan.lowercased().hasPrefix($0.lowercased() + " ")
                }
            }
            guard isScanned, try !db.hasFewRows(other) else { continue }
            throw expression.refusal(
                "reads all of \(other) again and again, which has more than 10,000 rows",
                hint: "create an index on the column of \(other) that it compares")
        }
    }
}
