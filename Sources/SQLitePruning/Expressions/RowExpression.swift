/// An SQL expression of a rule about one row of its table.
///
/// It stands on lines of its own, so that a comment at its end does not swallow what follows. In a statement, the rule's
/// table has its own name, so that the expression can qualify its columns with it.
struct RowExpression: Equatable {
    /// The expression as it was written.
    let text: String

    /// SQL that is true only if the expression is true: neither false nor NULL.
    ///
    /// A plain `read = 1` as a term of WHERE would make SQLite leave the range of keys for the app's index.
    var isTrue: String { "(\n\(text)\n) IS TRUE" }
    /// SQL: 1 if the expression is true, 0 if it is false, and NULL if it is neither.
    var value: String { "iif((\n\(text)\n) IS TRUE, 1, iif((\n\(text)\n) IS FALSE, 0, NULL))" }
    /// SQL that is true only if the expression is false.
    var isFalse: String { "(\n\(text)\n) IS FALSE" }
}
