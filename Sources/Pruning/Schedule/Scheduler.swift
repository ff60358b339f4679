import FoundationEssentials
import Retention
import Synchronization

/// Decides when rules run: has one timer for each rule, and tells which rules are due.
///
/// Rules that become due together run together, in the policy's order. The scheduler starts no run itself. It calls
/// `wake`, whose receiver then asks ``dueRules(at:)``.
package final class Scheduler: Sendable {
    private struct State {
        var timers: [Name: any WallClockTimer] = [:]
        var due: [Name: Date] = [:]
        var notBefore: [Name: Date] = [:]
        var atAnyTime: Set<Name> = []
    }

    private let policy: RetentionPolicy
    private let state: Mutex<State>
    private let wake: @Sendable () -> Void

    /// A scheduler for the policy's rules. `makeTimer` makes a timer for each.
    package init(
        policy: RetentionPolicy, makeTimer: () -> any WallClockTimer, wake: @escaping @Sendable () -> Void
    ) {
        self.policy = policy
        self.wake = wake
        let timers = policy.rules.map { ($0.name, makeTimer()) }
        state = Mutex(State(timers: Dictionary(uniqueKeysWithValues: timers)))
    }

    /// Plans every rule's next run from its last run. A rule in `notBefore` does not run before that date, and one in
    /// `atAnyTime` also outside of its hours.
    package func plan(
        lastRuns: [Name: Date], notBefore: [Name: Date], atAnyTime: Set<Name> = [], now: Date
    ) {
        let wake = wake
        state.withLock { state in
            (state.notBefore, state.atAnyTime) = (notBefore, atAnyTime)
            for rule in policy.rules {
                var rule = rule
                if atAnyTime.contains(rule.name) { rule.between = nil }
                let date = RunSchedule.due(
                    of: rule, lastRun: lastRuns[rule.name], now: max(now, notBefore[rule.name] ?? now),
                    in: policy.timeZone)
                state.due[rule.name] = date
                state.timers[rule.name]?.arm(at: date, leeway: RunSchedule.leeway(every: rule.every), wake)
            }
        }
    }

    /// The rules that are due at `now`, or so soon after it that they may run now, in running order. A rule in
    /// `notBefore` does not run early, since its wait may be shorter than the leeway, and no rule outside of its hours.
    package func dueRules(at now: Date) -> [RetentionRule] {
        state.withLock { state in
            policy.rules.filter { rule in
                guard let due = state.due[rule.name], state.notBefore[rule.name] ?? now <= now else {
                    return false
                }
                let isOpen =
                    state.atAnyTime.contains(rule.name)
                    || rule.between?.contains(now, in: policy.timeZone) ?? true
                return isOpen && due <= now.addingTimeInterval(RunSchedule.leeway(every: rule.every))
            }
        }
    }

    /// The rule that is due next, and its due date; nil when nothing is planned.
    package func next() -> (rule: Name, due: Date)? {
        state.withLock { state in
            state.due.min { ($0.value, $0.key) < ($1.value, $1.key) }.map { ($0.key, $0.value) }
        }
    }

    /// Disarms every timer.
    package func cancel() {
        state.withLock { state in
            for timer in state.timers.values { timer.cancel() }
            state.due = [:]
        }
    }
}
