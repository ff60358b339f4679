import FoundationEssentials
import Retention

/// Decides which runs of the service get a history entry of their own, and sums up the others: an idle service has
/// little to report.
///
/// A run is summed up when its beginning was not recorded, it deleted and reclaimed nothing, it found no row that came
/// back, and each of its rules ended as in the run before. Before its first run, a rule counts as done. So the history
/// shows when a problem begins, changes and ends, and counts the runs in between.
package struct HistoryDigest: Sendable {
    private let initiator: Initiator
    private var lastEnds: [String: String] = [:]
    private var lastHolds: [Name: HeldRule] = [:]
    private var sum: HistoryEntry?
    private var summedSince: Duration = .zero

    /// How long runs are summed up before the sum is recorded.
    package static let interval = Duration.seconds(3_600)

    package init(by initiator: Initiator) {
        self.initiator = initiator
    }

    /// The entries to record after a run that ended at `instant` of a monotonic clock. `isBegun` says whether the
    /// history has the run's beginning: without an end it would look as if the run was killed.
    package mutating func entries(
        after report: PruneReport, isBegun: Bool = false, at instant: Duration
    ) -> [HistoryEntry] {
        guard takeIn(report) || isBegun else {
            add(report, at: instant)
            return instant - summedSince >= Self.interval ? flush() : []
        }
        return flush() + [.run(report, by: initiator)]
    }

    /// The sum so far, if there is one. Starts a new sum.
    package mutating func flush() -> [HistoryEntry] {
        defer { sum = nil }
        return sum.map { [$0] } ?? []
    }

    /// Whether the run has news. Remembers how its rules and stores ended.
    private mutating func takeIn(_ report: PruneReport) -> Bool {
        var isNews = false
        for rule in report.rules {
            let end = "\(rule.outcome) \(rule.failure.map { "\($0.kind)" } ?? "") "
            let bad = rule.keptImplausible > 0 ? "implausible" : ""
            let last = lastEnds.updateValue(end + bad, forKey: "rule \(rule.rule)") ?? "\(Outcome.done)  "
            let isOtherHold = isOtherHold(rule.held, of: rule.rule)
            if rule.deleted > 0 || rule.cameBack ?? 0 > 0 || last != end + bad || isOtherHold {
                isNews = true
            }
        }
        for store in report.reclaims {
            let end = "\(store.outcome) \(store.failure.map { "\($0.kind)" } ?? "")"
            let last = lastEnds.updateValue(end, forKey: "store \(store.store)")
            if store.reclaimedBytes > 0 || last != end { isNews = true }
        }
        return isNews
    }

    /// Whether the rule is held, and differently from the last hold that was recorded.
    private mutating func isOtherHold(_ held: HeldRule?, of rule: Name) -> Bool {
        if let held, let last = lastHolds[rule], held.isRepeat(of: last) { return false }
        lastHolds[rule] = held
        return held != nil
    }

    private mutating func add(_ report: PruneReport, at instant: Duration) {
        if sum == nil { summedSince = instant }
        var entry = HistoryEntry(.quiet, at: report.startedAt, by: initiator)
        entry.since = sum?.since ?? report.startedAt
        entry.runs = (sum?.runs ?? 0) + 1
        var repeats = sum?.repeats ?? []
        for rule in report.rules {
            let name = rule.rule.description
            if let known = repeats.firstIndex(where: { $0.rule == name && $0.outcome == rule.outcome }) {
                repeats[known].runs += 1
            } else {
                repeats.append(RepeatedOutcome(rule: name, outcome: rule.outcome, runs: 1))
            }
        }
        entry.repeats = repeats
        sum = entry
    }
}
