import Foundation
import Retention

/// A hold, and the commands that resolve it.
public struct HoldStatus: Equatable, Sendable {
    /// The rule that is held.
    public let rule: Name
    /// What holds it.
    public let hold: Hold
    /// What a person types who wants the rows to go, one after the other; none when that was done, or cannot be told.
    public let commands: [String]

    /// Of a rule as it is now; nil: it is not known. `program` is how a person calls this program, and `isServing` whether
    /// the service runs, which then does what is confirmed.
    public init(
        _ name: Name, _ hold: Hold, of rule: RetentionRule?, now: Date, in timeZone: TimeZone,
        program: String, isServing: Bool
    ) {
        self.rule = name
        self.hold = hold
        guard let rule, hold.confirmedAt == nil else {
            commands = []
            return
        }
        let byHand = "\(program) --run-now --rule \(name) --confirm \(name)"
        guard hold.mismatch(with: rule, at: now, in: timeZone) == nil else {
            // First it is held anew: what was seen is not what would go now.
            commands = ["\(program) --run-now --rule \(name)", byHand]
            return
        }
        commands = [isServing ? "\(program) confirm \(name)" : byHand]
    }
}

extension Hold {
    /// Why a confirmation of this hold would not cover what `rule` would delete at `now`, as far as that can be told
    /// without counting; nil when it may.
    public func mismatch(
        with rule: RetentionRule, at now: Date, in timeZone: TimeZone
    ) -> Confirmation.Mismatch? {
        let today = HeldRule(
            rule, place: seen.place, cutoff: rule.expiry.cutoff(at: now, in: timeZone), timeZone: timeZone,
            expired: seen.expired, rows: seen.rows, change: nil)
        return Confirmation(seen).mismatch(with: today)
    }
}
