import Foundation
import PolicyFile
import Pruning
import Retention

/// How the service says of itself by what it works, and what fails: so that `pruned status` can tell, and its next start
/// knows.
extension Daemon {
    /// Goes on with what failed before: it is told until it works, and tried again at once.
    static func takeUp(_ troubles: [String: RuleTrouble], _ state: inout State) {
        state.record.troubles = troubles.filter { name, trouble in
            Name(name).flatMap(state.plan.policy.rule(named:)).map(trouble.isOf) ?? false
        }
        state.requested.formUnion(state.record.troubles.keys.compactMap { Name($0) })
        state.clockDoubt = state.record.troubles.values.first { $0.waitsFor == .clock }?.cause
    }

    /// Writes the record where it says something else than before. What cannot be written is said once.
    func write(_ state: inout State) {
        guard state.record != state.written else { return }
        do {
            try state.record.write(stateDirectory: setup.stateDirectory)
            state.written = state.record
            recordTrouble.withLock { $0 = nil }
        } catch {
            let isNew = recordTrouble.withLock { last in
                defer { last = error.cause }
                return last != error.cause
            }
            if isNew { logger.error(error) }
        }
    }
}

extension ServicePlan {
    /// What the service says of itself that has just begun to work by this plan.
    func record() -> ServiceRecord {
        ServiceRecord(
            policy: PolicyFile.render(policy, systemTimeZone: .current),
            timeZone: TimeZone.current.identifier, readAt: SystemTime.now)
    }
}
