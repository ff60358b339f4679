/// An expression that compares columns of the rule's table with constants, and nothing else.
///
/// Under ``TransactionKind/begin`` it can call nothing but PostgreSQL's own comparisons, so the server need not be asked what
/// it means. That saves lines in the server's log, which gets what ``ExpressionTree`` reads, too.
enum PlainExpression {
    static func isPlain(_ tokens: [SQLToken], on relation: Relation) -> Bool {
        var readsRow = false
        for (index, token) in tokens.enumerated() {
            switch token.kind {
            case .word where words.contains(token.text): continue
            case .word, .quotedName:
                guard let column = relation[token.text], types.contains(column.baseType),
                    column.type.hasPrefix(column.baseType)
                else { return false }
                // A name before a parenthesis is a function's.
                if index + 1 < tokens.count, tokens[index + 1].isSymbol("(") { return false }
                // A name or a text after a name could make it a type.
                if index + 1 < tokens.count, tokens[index + 1].kind == .string { return false }
                readsRow = true
            case .string:
                let parts = token.text.lowercased().split { !$0.isLetter }
                guard parts.allSatisfy({ !["now", "today", "tomorrow", "yesterday"].contains($0) }) else {
                    return false
                }
            case .number: continue
            case .symbol: guard symbols.contains(token.text) else { return false }
            }
        }
        return readsRow
    }

    /// No name of a column among them is free of quotation marks, for the server reserves them.
    private static let words: Set = ["and", "or", "not", "is", "null", "true", "false", "in", "like"]
    private static let symbols: Set = ["=", "<>", "!=", "<", ">", "<=", ">=", "(", ")", ",", "-"]
    private static let types: Set = [
        "boolean", "smallint", "integer", "bigint", "text", "character varying", "numeric",
        "double precision",
        "real", "uuid", "date", "timestamp with time zone", "timestamp without time zone",
    ]
}
