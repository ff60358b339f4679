import Pruning

/// How many rows were, or would be, deleted and marked, in words.
struct ChangedRows {
    private let deleted: Int64
    private let marked: Int64
    /// Whether there are rules, and all of them mark.
    private let onlyMarks: Bool

    /// `rows` gives the number of rows of a rule.
    init(_ rules: [RuleReport], _ rows: (RuleReport) -> Int64) {
        deleted = rules.filter { !$0.marks }.reduce(0) { $0 + rows($1) }
        marked = rules.filter(\.marks).reduce(0) { $0 + rows($1) }
        onlyMarks = !rules.isEmpty && rules.allSatisfy(\.marks)
    }

    /// `delete 3 rows and mark 5 rows`. Without marks only the first, unless all rules mark.
    var infinitive: String {
        if marked == 0, !onlyMarks { return "delete \(deleted.counted("row"))" }
        let marks = "mark \(marked.counted("row"))"
        return deleted == 0 ? marks : "delete \(deleted.counted("row")) and \(marks)"
    }

    /// `3 rows deleted, 5 marked`.
    var participle: String {
        if marked == 0, !onlyMarks { return "\(deleted.counted("row")) deleted" }
        return deleted == 0
            ? "\(marked.counted("row")) marked"
            : "\(deleted.counted("row")) deleted, \(marked.grouped) marked"
    }
}
