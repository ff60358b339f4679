import FoundationEssentials
import Pruning
import Retention
import Synchronization

/// Remembers what was last logged about each rule, so that a lasting problem is logged once and not in every run.
final class RepeatFilter: Sendable {
    private struct Topic: Hashable {
        let rule: Name
        let subject: String
    }

    private let said = Mutex<[Topic: (state: String, at: Date)]>([:])
    private let now: @Sendable () -> Date
    /// The same for holds.
    let holds: HoldRepeatFilter

    /// Takes over when `holds` were logged before the program started.
    init(_ holds: [Name: Hold] = [:], now: @escaping @Sendable () -> Date = { SystemTime.now }) {
        self.holds = HoldRepeatFilter(holds, now: now)
        self.now = now
    }

    /// Whether to log `state` now: it differs from what was last logged on this subject, or that was longer ago than
    /// `interval`. If so, remembers it as logged.
    func isNew(
        _ rule: Name, _ subject: String, _ state: String, again interval: TimeInterval = .infinity
    ) -> Bool {
        let now = now()
        return said.withLock { said in
            let topic = Topic(rule: rule, subject: subject)
            // The clock may have been set back meanwhile.
            if let last = said[topic], last.state == state, abs(now.timeIntervalSince(last.at)) < interval {
                return false
            }
            said[topic] = (state, now)
            return true
        }
    }
}

/// Remembers which holds were logged. A hold is logged when it begins, when it changes or its row count changes by more
/// than a tenth, and once a day while it lasts.
final class HoldRepeatFilter: Sendable {
    private let said: Mutex<[Name: (hold: HeldRule, at: Date)]>
    private let now: @Sendable () -> Date
    static let interval: TimeInterval = 86_400

    /// Takes over when `holds` were logged before the program started.
    init(_ holds: [Name: Hold], now: @escaping @Sendable () -> Date) {
        said = Mutex(
            holds.compactMapValues { hold in hold.announcedAt.map { (hold.seen, $0) } })
        self.now = now
    }

    /// Whether to log a rule's hold now. If so, remembers it as logged.
    func isNew(_ rule: Name, _ held: HeldRule) -> Bool {
        let now = now()
        return said.withLock { said in
            // The clock may have been set back meanwhile.
            if let last = said[rule], held.isRepeat(of: last.hold),
                abs(now.timeIntervalSince(last.at)) < Self.interval
            {
                return false
            }
            said[rule] = (held, now)
            return true
        }
    }

    /// Forgets the rule's hold, so that its next hold is logged.
    func forget(_ rule: Name) { said.withLock { $0[rule] = nil } }

    /// When the holds of `reports` were last logged, by rule.
    func announcements(of reports: [RuleReport]) -> [Name: Date] {
        said.withLock { said in
            let dates = reports.filter { $0.held != nil }.compactMap { report in
                said[report.rule].map { (report.rule, $0.at) }
            }
            return Dictionary(uniqueKeysWithValues: dates)
        }
    }
}
