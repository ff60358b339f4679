import FoundationEssentials

/// How far a run of a rule is, as `pruned status` shows it.
package struct RunProgress: Codable, Equatable, Sendable {
    /// The rows that are deleted or marked.
    package let done: Int64
    /// The rows that the run counted before it began.
    package let all: Int64
    /// When the run began with them.
    package let since: Date
    /// When this was recorded.
    package let at: Date

    package init(done: Int64, of all: Int64, since: Date, at: Date) {
        (self.done, self.all, self.since, self.at) = (done, all, since, at)
    }

    /// How long the rest takes at the same pace; nil while nothing is done.
    package var left: Duration? {
        let seconds = max(0, at.timeIntervalSince(since))
        return done > 0 ? .seconds(seconds * Double(max(0, all - done)) / Double(done)) : nil
    }
}
