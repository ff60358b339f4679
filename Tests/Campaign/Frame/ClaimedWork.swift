import TestSupport

/// What a run or a restore claims to have done.
struct ClaimedWork {
    /// How many rows it says are done: deleted, marked or put back.
    let done: Int
    /// Whether it says that more rows may be done.
    let isUnsure: Bool

    /// Nil when the program printed no report.
    init?(_ program: EndedProgram) {
        if let rules = try? program.report().rules {
            done = rules.map(\.deleted).reduce(0, +)
            isUnsure = rules.contains { $0.reason?.contains("unknown whether") ?? false }
        } else if let rules = try? program.printed(PrintedRestore.self).rules {
            done = rules.map(\.restored).reduce(0, +)
            isUnsure = rules.contains { $0.reason?.contains("unknown whether") ?? false }
        } else {
            return nil
        }
    }
}
