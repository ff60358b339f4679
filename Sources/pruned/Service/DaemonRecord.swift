import FoundationEssentials
import Glibc
import Ledger
import PolicyFile
import Pruning
import Retention

/// The service's record of the policy in force and of failed rules, for `pruned status` and for the next start.
extension Daemon {
    /// Takes over the troubles from before the start. They are shown until the rules complete. The rules are retried at
    /// once, except those that ended the process.
    static func takeUp(_ troubles: [String: RuleTrouble], _ state: inout State) {
        state.record.troubles = troubles.filter { name, trouble in
            Name(name).flatMap(state.plan.policy.rule(named:)).map(trouble.isOf) ?? false
        }
        state.requested.formUnion(state.record.troubles.keys.compactMap { Name($0) })
        rest(after: state.record.troubles.compactMapValues(\.restsUntil), &state)
        state.clockDoubt = state.record.troubles.values.first { $0.waitsFor == .clock }?.cause
    }

    /// If this many rules have ended the process within the time of a rest, the other rules of their stores rest as
    /// well. If twice as many have, all rules rest. Otherwise the service manager would give up on a service that ends
    /// again and again.
    private static let mostCostly = 3

    private static func rest(after ends: [String: Date], _ state: inout State) {
        let now = SystemTime.now
        // If the clock was set back meanwhile, the recorded end could be years away.
        let latest = now.addingTimeInterval(restWhenFailed)
        let ends = ends.filter { $0.value > now }.mapValues { min($0, latest) }
        for (name, end) in ends {
            if let name = Name(name) { state.notBefore[name] = end }
        }
        guard ends.count >= mostCostly, let first = ends.values.min() else { return }
        let rules = state.plan.policy.rules
        let stores = Set(rules.filter { ends[$0.name.description] != nil }.map(\.store))
        for rule in rules
        where state.notBefore[rule.name] == nil
            && (ends.count >= 2 * mostCostly || stores.contains(rule.store))
        {
            state.notBefore[rule.name] = first
        }
    }

    /// Stops the runs on all other stores, and waits a short time for their results to be recorded.
    func stopOthers(than store: Name, because reason: String) {
        change { state in
            state.isEnding = true
            for (other, control) in state.running where other != store { control.requestStop(reason) }
        }
        WorkTimer.wait {
            var others = 0
            change { others = $0.running.count { $0.key != store } }
            return others == 0
        }
    }

    /// Ends the process, because the work of the last rule in `report` cannot be stopped otherwise. Records the reason
    /// for the next start.
    func end(
        _ report: PruneReport, of rules: [RetentionRule], at places: [Name: String],
        telling observers: [any RunObserver]
    ) -> Never {
        var status = ExitStatus.failed
        change { state in
            for rule in report.rules {
                state.record.troubles[rule.rule.description] = RuleTrouble(rule)
            }
            if let stuck = report.rules.last {
                let restsUntil = SystemTime.now.addingTimeInterval(Self.restWhenFailed)
                state.record.troubles[stuck.rule.description] = RuleTrouble(stuck, restsUntil: restsUntil)
            }
            remember(
                report, Measurements(), [.run(report, by: initiator)], rules, places, &state)
            if state.isStopping { status = .done }
        }
        ObservedRun.tell(observers, endOf: report)
        _exit(status.rawValue)
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
