/// Checks the names in the subqueries of an expression.
struct SubqueryCheck {
    let check: ExpressionCheck
    let tokens: [SQLToken]
    let compiled: ExpressionCompilation

    /// Throws if a name in a subquery could come to mean another column, without an error, as soon as a table of the
    /// subquery gets a column of that name.
    ///
    /// Names are looked up from the inside out. One that is found in a query around the subquery must have its table
    /// before it. One that is found in the subquery itself stays what it is, or becomes ambiguous, which is an error.
    func checkNames(in connection: Connection) throws {
        for column in compiled.tree.columns where column.levelsUp > 0 {
            guard let offset = compiled.offset(of: column.location),
                let index = tokens.firstIndex(where: { $0.range.lowerBound == offset })
            else {
                throw check.refusal(
                    "cannot be checked: the server does not say where it names a column",
                    hint: check.columnHint)
            }
            guard index + 1 < tokens.count, tokens[index + 1].isSymbol(".") else {
                let name = tokens[index].text
                let table = column.isOfRow ? "write \(check.relation.name).\(name)" : "write its table, too"
                throw check.refusal(
                    "names \(name) in a subquery without its table",
                    hint: "\(table): another table of the subquery may get a column \(name), too")
            }
        }
    }
}
