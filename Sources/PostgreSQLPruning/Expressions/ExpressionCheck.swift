import Retention
import TerminalText

/// Checks an expression of a rule against the schema, before it judges any row.
///
/// It runs nothing of the expression: the server only says what it understands, until every function is known.
struct ExpressionCheck {
    /// The keys of the expression in the configuration, below the rule.
    let keys: [String]
    let text: String
    let relation: Relation

    struct Checked {
        let expression: RowExpression
        /// The tables that it names without a schema.
        let common: [Relation]
    }

    /// Throws a ``SchemaMismatch`` if the expression is not a condition on rows of the table that has the same result
    /// whenever it is evaluated, or if it reads a table that one of `writes` changes.
    func result(_ writes: [TableWrite], in connection: Connection) throws -> Checked {
        let tokens = try tokens()
        guard !tokens.isEmpty else { throw refusal("cannot be used: it is empty", hint: columnHint) }
        try refuseLocks(tokens)
        let isPlain = PlainExpression.isPlain(tokens, on: relation)
        let candidates = isPlain ? [] : try tablesNamed(in: tokens, connection)
        let compiled: ExpressionCompilation
        do {
            if isPlain {
                try ExpressionCompilation.understand(text, from: relation, in: connection)
                return Checked(expression: RowExpression(text: text, tables: []), common: [])
            }
            compiled = try ExpressionCompilation(
                of: text, from: relation, beside: candidates, in: connection)
        } catch let refused as ExpressionCompilation.Refused {
            throw try mismatch(refused, tokens, in: connection)
        }
        let tree = compiled.tree
        if let first = tree.refusals.first {
            throw refusal(first.reason + place(compiled.offset(of: first.location)), hint: first.hint)
        }
        guard tree.readsRow else {
            throw refusal(
                "is no condition on a row: it reads no column of \(relation.description)", hint: columnHint)
        }
        try ExpressionCode(check: self, tokens: tokens, compiled: compiled).check(in: connection)
        let common = tree.common.map { candidates[$0] }
        let named = try tree.relations.sorted().map { try connection.relation(UInt32($0)) }
        for table in common + named { try checkIsOrdinary(table, in: connection) }
        try SubqueryCheck(check: self, tokens: tokens, compiled: compiled).checkNames(in: connection)
        let tables = (common + named).reduce(into: [Relation]()) { if !$0.contains($1) { $0.append($1) } }
        for write in writes { try write.check(tables, of: self) }
        let expression = RowExpression(text: text, tables: tables)
        try ScanCheck(check: self, expression: expression, common: common, compiled: compiled)
            .check(in: connection)
        return Checked(expression: expression, common: common)
    }

    private func tokens() throws -> [SQLToken] {
        do {
            return try SQLLexer.tokens(of: text)
        } catch {
            throw refusal(
                "cannot be used: \(error.reason)\(place(error.offset))",
                hint: "write one condition in PostgreSQL's SQL")
        }
    }

    /// Of tables with a bare name, the server would lock nothing, and say nothing.
    private func refuseLocks(_ tokens: [SQLToken]) throws {
        let ways: Set = ["update", "share", "no", "key"]
        for (token, next) in zip(tokens, tokens.dropFirst())
        where token.isWord("for") && next.kind == .word && ways.contains(next.text) {
            throw refusal(
                "locks rows" + place(token.range.lowerBound), hint: "leave out FOR UPDATE and FOR SHARE")
        }
    }

    /// The tables of the rule's schema that the expression can mean by a bare name.
    private func tablesNamed(in tokens: [SQLToken], _ connection: Connection) throws -> [Relation] {
        var seen: Set<String> = []
        let names = zip([nil] + tokens.map(Optional.some), tokens).filter { before, token in
            token.isName && !(before?.isSymbol(".") ?? false) && seen.insert(token.text).inserted
        }.map(\.1.text)
        let oids = try connection.query(
            """
            SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE n.nspname = $1 AND c.relname = ANY ($2::text[]) AND c.relname <> $3 AND c.relname NOT LIKE 'pg\\_%' \
            AND c.relkind IN ('r', 'p') ORDER BY c.relname
            """, [relation.schema, .arrayLiteral(names), relation.name]
        ).rows.compactMap { $0[0].flatMap { UInt32($0) } }
        return try oids.map { try connection.relation($0) }
    }

    private func checkIsOrdinary(_ table: Relation, in connection: Connection) throws {
        let isOwn = try connection.partitionTree(of: relation.oid).contains(table.oid)
        guard !isOwn else { throw ownTable }
        let kind: String? =
            switch table.kind {
            case .table, .partitioned: nil
            case .view: "a view"
            case .materializedView: "a materialized view"
            case .foreign: "a foreign table"
            case .other: "no table"
            }
        guard kind == nil, !table.schema.hasPrefix("pg_"), table.schema != "information_schema" else {
            throw refusal(
                "reads \(table.description), which is \(kind ?? "one of the server's own tables")",
                hint: "read an ordinary table of the database")
        }
        guard !table.hasRowSecurity else {
            throw refusal(
                "reads \(table.description), which has policies for rows: it would see only some of them",
                hint: "read a table without row-level security")
        }
        guard try connection.hasPrivilege("SELECT", on: table) else {
            throw refusal(
                "reads \(table.description), which the role may not read",
                hint: try connection.grant("SELECT", on: table))
        }
    }

    // MARK: - What is said

    var columnHint: String {
        "the columns of \(relation.description) are " + relation.columns.map(\.name).joined(separator: ", ")
    }

    /// For people: the character at which something is, from 1 on.
    func place(_ offset: Int?) -> String {
        guard let offset else { return "" }
        return ", at character \(String(decoding: Array(text.utf8.prefix(offset)), as: UTF8.self).count + 1)"
    }

    func refusal(_ reason: String, hint: String) -> SchemaMismatch {
        SchemaMismatch("\(keys.joined(separator: ".")) = \"\(text)\" \(reason)", hint: hint, keys: keys)
    }
}
