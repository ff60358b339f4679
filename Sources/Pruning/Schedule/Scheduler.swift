import FoundationEssentials
import Retention
import Synchronization

/// Decides when: one timer for each rule, and the question which rules are due.
///
/// Rules that become due together run together, in the policy's order. The scheduler starts nothing itself; it calls
/// `wake`, and whoever is woken asks ``dueRules(at:)``.
package final class Scheduler: Sendable {
    private struct State {
        var timers: [Name: any WallClockTimer] = [:]
        var due: [Name: Date] = [:]
        var notBefore: [Name: Date] = [:]
    }

    private let policy: RetentionPolicy
    private let state: Mutex<State>
    private let wake: @Sendable () -> Void

    /// A scheduler of a policy's rules, each with a timer that `makeTimer` makes.
    package init(
        policy: RetentionPolicy, makeTimer: () -> any WallClockTimer, wake: @escaping @Sendable () -> Void
    ) {
        self.policy = policy
        self.wake = wake
        let timers = policy.rules.map { ($0.name, makeTimer()) }
        state = Mutex(State(timers: Dictionary(uniqueKeysWithValues: timers)))
    }

    /// Plans every rule's next run from when it last ran. A rule in `notBefore` waits until then.
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

    /// The rules that are due at `now` or so soon after that they may as well run now, in running order. A rule that
    /// is to wait is not run early: a short wait may be less than what counts as soon.
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

    /// The rule that is due next, and when.
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
