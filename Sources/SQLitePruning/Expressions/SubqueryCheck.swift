import SQLite

/// Checks the subqueries of an expression.
struct SubqueryCheck {
    let expression: ExpressionCheck
    /// The tables that the subqueries may read.
    let tables: Set<String>

    private var table: TableSchema { expression.table }

    func check(_ compiled: ExpressionCompilation, in db: Database) throws {
        guard
            SQLToken.all(of: expression.text).contains(where: { $0.isWord("select") || $0.isWord("in") })
                || !tables.isEmpty
        else { return }
        try checkNames(compiled, in: db)
        try checkScans(in: db)
    }

    /// Compiles the expression against a schema of its own, in which each other table also has all columns of the rule's
    /// table, and the rule's table exists only for the outer query.
    ///
    /// An unqualified column of the rule's table would become another table's as soon as that table gains such a column,
    /// without an error. And a subquery on the rule's own table would judge rows by others that the run deletes.
    private func checkNames(_ compiled: ExpressionCompilation, in db: Database) throws {
        let memory = try Database(uri: "file::memory:", isReadOnly: false, busyTimeout: 0)
        defer { memory.close() }
        let stand = "pruned \(table.name)"
        try memory.execute(Self.creation(stand, table.columns.map(\.name)))
        for name in tables {
            guard let other = try TableSchema(name, in: db) else { continue }
            let own = Set(other.columns.map(\.name.comparedName))
            let added = table.columns.map(\.name).filter { !own.contains($0.comparedName) }
            try memory.execute(Self.creation(name, other.columns.map(\.name) + added))
        }
        let again: ExpressionCompilation
        do {
            again = try ExpressionCompilation(
                of: expression.text, from: "\(stand.quotedIdentifier) AS \(table.name.quotedIdentifier)",
                in: memory)
        } catch let refused as ExpressionCompilation.Refused {
            let isOwn = refused.reason.hasPrefix("no such table")
            throw expression.refusal(
                isOwn
                    ? "reads \(table.name) itself in a subquery, and rows of it are deleted in the run"
                    : "cannot be checked: \(refused.reason)",
                hint: isOwn
                    ? "what is kept must not depend on what is deleted; keep_last keeps the newest rows"
                    : "write a simpler condition")
        }
        let found = Set(
            again.columns.map { column in
                column.table == stand.comparedName
                    ? ExpressionCompilation.Column(table: table.name.comparedName, column: column.column)
                    : column
            })
        let lost = compiled.columns.subtracting(found).map { String(decoding: $0.column, as: UTF8.self) }
        guard let first = lost.filter({ !$0.isEmpty }).min() else { return }
        throw expression.refusal(
            "names \(first) in a subquery without its table",
            hint: "write \(table.name).\(first): another table of the subquery may get a column \(first), too"
        )
    }

    private static func creation(_ name: String, _ columns: [String]) -> String {
        "CREATE TABLE \(name.quotedIdentifier) (\(columns.map(\.quotedIdentifier).joined(separator: ", ")))"
    }

    /// Throws if a subquery would read a whole table of many rows for each batch, or even for each row.
    private func checkScans(in db: Database) throws {
        guard !tables.isEmpty else { return }
        let name = table.name.quotedIdentifier
        let steps = try db.queryPlan(
            of: "SELECT 1 FROM \(name) NOT INDEXED WHERE \(RowExpression(text: expression.text).isTrue)")
        let scans = steps.filter { $0.hasPrefix("SCAN ") }.map { $0.dropFirst("SCAN ".count) }
        let tokens = SQLToken.all(of: expression.text)
        for other in tables.sorted() {
            let names = [other] + tokens.aliases(of: other)
            let isScanned = scans.contains { scan in
                names.contains {
                    scan.lowercased() == $0.lowercased() || scan.lowercased().hasPrefix($0.lowercased() + " ")
                }
            }
            guard isScanned else { continue }
            let few =
                "SELECT count(*) FROM (SELECT 1 FROM \(other.quotedIdentifier) LIMIT \(Self.mostRows + 1))"
            guard try db.value(few).integer > Self.mostRows else { continue }
            throw expression.refusal(
                "reads all of \(other) again and again, which has more than 10,000 rows",
                hint: "create an index on the column of \(other) that it compares")
        }
    }

    /// A batch of rows with such a scan for each took 11 seconds.
    private static let mostRows: Int64 = 10_000
}
