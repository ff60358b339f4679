import FoundationEssentials
import Retention

/// What a person sees of a rule before it runs: how old its table's rows are, and which go when.
package struct Forecast: Equatable, Sendable {
    /// What was found in the store.
    package let ages: AgeProfile
    /// The picture of it. What is newer than the run itself is out of place only where a row's time is its age.
    package let histogram: Histogram
    /// When the first of the rows that stay expires; nil when none does.
    package let nextExpiry: Date?

    /// What `ages` say for `task`.
    package init(of task: PruneTask, _ ages: AgeProfile) {
        self.ages = ages
        let isAge = if case .age = task.rule.expiry { true } else { false }
        histogram = Histogram(
            ages.counts, grain: ages.grain, cutoff: task.cutoff, end: isAge ? task.future : nil)
        nextExpiry = ages.next.map { task.rule.expiry.firstExpiry(of: $0, in: task.timeZone) }
    }
}
