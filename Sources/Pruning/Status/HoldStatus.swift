import FoundationEssentials
import Retention

/// A held rule, and how to resolve the hold.
package struct HoldStatus: Equatable, Sendable {
    package let rule: Name
    /// What it does with the rows that are held.
    package let action: RowAction
    /// When it was first held.
    package let since: Date
    /// Why it is held; of a confirmation whose run did not complete, what it still covers.
    package let cause: String
    /// What a person can do about it; nil where ``commands`` says it.
    package let hint: String?
    /// What the rule waits for; nil when that has happened.
    package let waitsFor: WaitReason?
    /// What a guard saw; nil when no guard holds the rule.
    package let seen: HeldRule?
    /// When a person confirmed the hold; nil while nobody has.
    package let confirmedAt: Date?
    /// Whether a run used the confirmation, or failed before it could, and left the rows confirmed.
    package let isLeftover: Bool
    /// How far the run is that deletes the confirmed rows now; nil when none does.
    package let progress: RunProgress?
    /// The commands that let the rows be deleted, in sequence. Empty when the hold is confirmed, when no command would
    /// help, or when the rule is unknown.
    package let commands: [String]

    /// The hold of a rule, from `evidence`; nil when the rule is not held. `rule` is its current definition, nil if
    /// unknown. `program` is the command line that calls this program. `isServing` says whether a service runs, which
    /// would then act on a confirmation.
    package init?(
        _ name: Name, _ evidence: RuleEvidence, of rule: RetentionRule?, now: Date, in timeZone: Zone,
        program: String, isServing: Bool
    ) {
        self.rule = name
        action = rule?.action ?? .delete
        seen = evidence.hold?.seen
        confirmedAt = evidence.hold?.confirmedAt
        progress = evidence.state == .running ? evidence.hold?.progress(at: now) : nil
        isLeftover = evidence.hasLeftoverConfirmation
        if let attempt = evidence.heldByArchive, let record = attempt.record {
            (since, cause, hint) = (attempt.since, record.reason ?? "", record.hint)
            (waitsFor, commands) = (record.waitsFor, [])
            return
        }
        guard let hold = evidence.hold else { return nil }
        (since, cause, hint) = (hold.since, isLeftover ? hold.coverage : hold.cause, nil)
        waitsFor = hold.confirmedAt == nil ? .confirmation : nil
        guard let rule, hold.confirmedAt == nil else {
            commands = []
            return
        }
        let byHand = "\(program) --run-now --rule \(name) --confirm \(name)"
        guard hold.mismatch(with: rule, at: now, in: timeZone) == nil else {
            // A run must hold the rule again first, because what the guard saw differs from what would be deleted now.
            commands = ["\(program) --run-now --rule \(name)", byHand]
            return
        }
        commands = [isServing ? "\(program) confirm \(name)" : byHand]
    }
}

extension RuleEvidence {
    /// Whether rows are still confirmed after a run that began their deletion, or that failed.
    fileprivate var hasLeftoverConfirmation: Bool {
        guard let hold, let confirmed = hold.confirmedAt, heldByArchive == nil else { return false }
        return hold.begun != nil || state == .failed && decisiveAttempt.map { $0.began >= confirmed } ?? false
    }
}

extension Hold {
    /// How far the confirmed deletion is that has begun; nil where that is not recorded.
    fileprivate func progress(at now: Date) -> RunProgress? {
        guard let begun, let left = begun.left?.rows, let all = begunRows, left <= all else { return nil }
        return RunProgress(done: all - left, of: all, since: begun.at, at: now)
    }

    /// What the confirmation still covers.
    fileprivate var coverage: String {
        if begun != nil, begun?.left == nil { return "it is not recorded which confirmed rows are left" }
        return "the confirmation still covers \(seen.expired.grouped) row\(seen.expired == 1 ? "" : "s")"
    }
}
