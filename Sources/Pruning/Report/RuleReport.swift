import FoundationEssentials
import Retention

/// What one rule did in one run.
package struct RuleReport: ProgressReport, Equatable, Sendable {
    package let rule: Name
    package let store: Name
    package let table: String
    /// Whether rows were marked instead of deleted. What is said of deleted rows then holds for marked ones.
    package let marks: Bool
    /// Rows with an earlier time had expired.
    package let cutoff: Date
    /// The ages of the rows and what expires next; nil when not asked for, or when it could not be read.
    package var forecast: Forecast?
    package var progress = RuleProgress()

    /// An empty report.
    package init(_ task: PruneTask, outcome: Outcome = .done, failure: Halt? = nil) {
        rule = task.rule.name
        store = task.rule.store
        table = task.rule.table
        marks = task.rule.action.isMark
        cutoff = task.cutoff
        (progress.outcome, progress.failure) = (outcome, failure)
    }

    /// What a rule waits for that is held, or has met a limit of its time; nil for any other.
    package var waitsFor: WaitReason? {
        [.held, .stopped].contains(progress.outcome) ? WaitReason(progress.failure) : nil
    }

    /// Whether it ended because its hours ended, or its run took as long as it may.
    package var metLimit: Bool { waitsFor == .nextRun }

    /// The number of expired rows that the run left; nil when they were not counted.
    package var left: Int64? { progress.expired.map { max(0, $0 - progress.deleted) } }

    /// Takes over the counts from the run's start.
    mutating func add(_ census: Census) {
        (progress.expired, progress.keptImplausible) = (census.expired, census.implausible)
    }

    /// Adds a committed batch. A batch that took no lock does not count.
    mutating func add(_ batch: BatchResult) {
        guard batch.work.visited > 0 else { return }
        progress.deleted += batch.deleted
        progress.dependentsDeleted += batch.dependentsDeleted
        progress.batches += 1
        progress.longestBatch = max(progress.longestBatch, batch.work.lockTime)
    }

    package var operation: String { Self.operation(rule) }

    static func operation(_ rule: Name) -> String { "finish rule \(rule)" }

    /// The report of a rule that was not tried, or ended immediately.
    init(_ task: PruneTask, halted halt: Halt, stopReason: String? = nil) {
        self.init(task)
        end(with: halt, stopReason: stopReason)
    }
}

/// What a person sees of a rule before it runs: the ages of its table's rows, and when they go.
package struct Forecast: Equatable, Sendable {
    package let ages: AgeProfile
    /// The ages as a histogram. If a row's time is its age, times after the run's start go into a last bar of their
    /// own.
    package let histogram: Histogram
    /// When the first of the remaining rows expires; nil when none does.
    package let nextExpiry: Date?
    /// The rows that are old enough but stay, by reason.
    package let stays: [Staying]

    /// Rows that stay for one reason.
    package struct Staying: Equatable, Sendable {
        package let reason: ExemptRows.Reason
        /// The rule's key for the reason; `lease` for rows that were put back, and `key` for rows without a key.
        package let key: String
        /// The value of the key; empty for a lease and for rows without a key.
        package let text: String
        package let rows: Int64
    }

    /// The forecast for `task` from `ages`.
    package init(of task: PruneTask, _ ages: AgeProfile) {
        self.ages = ages
        let isAge = if case .age = task.rule.expiry { true } else { false }
        histogram = Histogram(
            ages.counts, staying: ages.staying, grain: ages.grain, cutoff: task.cutoff,
            end: isAge ? task.future : nil)
        nextExpiry = ages.next.map { task.rule.expiry.firstExpiry(of: $0, in: task.timeZone) }
        stays = ages.stay.rows.sorted { $0.key < $1.key }.filter { $0.value > 0 }.map { reason, rows in
            let (key, text) = Self.setting(reason, of: task.rule)
            return Staying(reason: reason, key: key, text: text, rows: rows)
        }
    }

    private static func setting(
        _ reason: ExemptRows.Reason, of rule: RetentionRule
    ) -> (key: String, text: String) {
        switch reason {
        case .leased: ("lease", "")
        case .condition: (RuleKey.where.rawValue, rule.condition ?? "")
        case .protection(let index):
            (RuleKey.protect.rawValue, rule.protect.indices.contains(index) ? rule.protect[index] : "")
        case .owned: (RuleKey.orphansOf.rawValue, rule.orphansOf.map { "\($0.key)" } ?? "")
        case .newest: (RuleKey.keepLast.rawValue, "\(rule.keepLast ?? 0)")
        case .keyless: ("key", "")
        case .referredTo(let columns): ("foreign_key", columns)
        case .keptBy: (RuleKey.keptBy.rawValue, rule.keptBy.map(\.description).joined(separator: ", "))
        }
    }
}
