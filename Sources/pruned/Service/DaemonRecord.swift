import FoundationEssentials
import Glibc
import Ledger
import PolicyFile
import Pruning
import Retention

/// The service's record of the policy in force and of failed rules, for `pruned status` and for the next start.
extension Daemon {
    /// Takes over the troubles from before the start. They are shown until the rules complete, which are retried at once.
    static func takeUp(_ troubles: [String: RuleTrouble], _ state: inout State) {
        state.record.troubles = troubles.filter { name, trouble in
            Name(name).flatMap(state.plan.policy.rule(named:)).map(trouble.isOf) ?? false
        }
        state.requested.formUnion(state.record.troubles.keys.compactMap { Name($0) })
        state.clockDoubt = state.record.troubles.values.first { $0.waitsFor == .clock }?.cause
    }

    /// Writes the record if it has changed. Logs a write error once.
    func write(_ state: inout State) {
        guard state.record != state.written else { return }
        do {
            // After a power cut no service works by it, and the next start writes it anew: READY need not wait for that.
            try ledger.write("remember what the service works by", isDurable: false) {
                [record = state.record] in try $0.setServiceRecord(record)
            }
            state.written = state.record
            recordTrouble.withLock { $0 = nil }
        } catch {
            say(error)
        }
    }

    /// Logs once why the ledger cannot be written.
    func say(_ error: StoreError) {
        let isNew = recordTrouble.withLock { last in
            defer { last = error.cause }
            return last != error.cause
        }
        if isNew { logger.error(error) }
    }
}

extension ServicePlan {
    /// The record of a service that has just put this plan into force.
    func record() -> ServiceRecord {
        var record = ServiceRecord(
            policy: PolicyFile.render(policy, systemTimeZone: .current),
            timeZone: Zone.current.identifier, readAt: SystemTime.now)
        record.process = getpid()
        return record
    }
}
