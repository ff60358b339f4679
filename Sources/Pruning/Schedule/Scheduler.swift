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

    /// Plans every rule's next run from its last run. A rule in `notBefore` does not run before that date.
    package func plan(lastRuns: [Name: Date], notBefore: [Name: Date], now: Date) {
        let wake = wake
        state.withLock { state in
            state.notBefore = notBefore
            for rule in policy.rules {
                let due = RunSchedule.due(
                    every: rule.every, lastRun: lastRuns[rule.name], now: now, in: policy.timeZone)
                let date = max(due, notBefore[rule.name] ?? due)
                state.due[rule.name] = date
                state.timers[rule.name]?.arm(at: date, leeway: RunSchedule.leeway(every: rule.every), wake)
            }
        }
    }

    /// The rules that are due at `now`, or so soon after it that they may run now, in running order. A rule in
    /// `notBefore` does not run early, since its wait may be shorter than the leeway.
    package func dueRules(at now: Date) -> [RetentionRule] {
        state.withLock { state in
            policy.rules.filter { rule in
                guard let due = state.due[rule.name], state.notBefore[rule.name] ?? now <= now else {
                    return false
                }
                return due <= now.addingTimeInterval(RunSchedule.leeway(every: rule.every))
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
