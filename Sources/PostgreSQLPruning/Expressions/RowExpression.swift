/// An SQL expression of a rule about one row of its table.
///
/// It stands on lines of its own, so that a comment at its end does not swallow what follows. In a statement, the rule's
/// table has its bare name as alias, so that the expression can qualify its columns with it.
struct RowExpression: Equatable {
    /// The expression as it was written.
    let text: String
    /// The tables that it reads besides the rule's own.
    let tables: [Relation]

    /// SQL that is true only if the expression is true: neither false nor NULL.
    var isTrue: String { "(\n\(text)\n) IS TRUE" }
    /// SQL that is true only if the expression is false.
    var isFalse: String { "(\n\(text)\n) IS FALSE" }
    /// SQL: the boolean, or NULL.
    var value: String { "(\n\(text)\n)" }
}
