import Dispatch
import PolicyFile
import Retention

/// Looks for the stores of families at intervals: an app makes one for each of its users.
extension Daemon {
    private static let pause = Duration.seconds(50)

    /// Plans the next look, if there are families.
    func searchAgain(_ state: inout State) {
        guard !state.searches, !state.isStopping, !state.plan.configuration.families.isEmpty else { return }
        state.searches = true
        queue.asyncAfter(deadline: .now() + Self.pause.seconds) { [weak self] in
            self?.change { state in
                state.searches = false
                self?.search(&state)
                self?.searchAgain(&state)
            }
        }
    }

    /// Looks now, beside all else.
    func search(_ state: inout State) {
        let plan = state.plan
        guard !plan.configuration.families.isEmpty else { return }
        DispatchQueue(label: "pruned.search").async {
            let searched = plan.searched(by: self.setup)
            self.queue.async { self.change { self.takeUp(searched, insteadOf: plan, &$0) } }
        }
    }

    private func takeUp(_ searched: ServicePlan, insteadOf plan: ServicePlan, _ state: inout State) {
        guard !state.isStopping else { return }
        // A configuration that was read meanwhile has had its own look.
        guard !state.isReloading, !state.isLooking, state.plan.configuration == plan.configuration,
            searched.configuration != plan.configuration
        else { return }
        let (old, new) = (Set(plan.policy.stores.map(\.name)), Set(searched.policy.stores.map(\.name)))
        use(searched, &state)
        for store in new.subtracting(old).sorted() { say(store, "is new") }
        for store in old.subtracting(new).sorted() {
            say(store, "is gone; what is archived of it stays until its time")
        }
        write(&state)
        schedule(&state)
        startDueRuns(&state)
        notifier.notify([.status(statusText(state))])
    }

    /// Works with this plan from now on.
    func use(_ plan: ServicePlan, _ state: inout State) {
        state.plan.scheduler.cancel()
        sayRefused(by: plan, besides: state.plan)
        state.plan = plan
        setup.publish(plan.configuration)
        let (troubles, refusal, since) = (state.record.troubles, state.record.refusal, state.record.readAt)
        state.record = plan.record()
        (state.record.refusal, state.record.readAt) = (refusal, since)
        Self.takeUp(troubles, &state)
    }

    private func say(_ store: Name, _ what: String) {
        logger.log(level: .notice, .reloaded, "store \(store) \(what)", ["PRUNED_STORE": "\(store)"])
    }

    /// Says what matches and is no store, unless it was said of the `old` plan.
    func sayRefused(by plan: ServicePlan, besides old: ServicePlan) {
        for (family, found) in plan.configuration.found.sorted(by: { $0.key < $1.key }) {
            let known = old.configuration.found[family]
            let said = (known?.refused ?? []) + [known?.failure].compactMap(\.self)
            for text in found.refused + [found.failure].compactMap(\.self) where !said.contains(text) {
                logger.log(
                    level: .warning, .unusable, "\(family): \(text.onOneLine)", ["PRUNED_STORE": "\(family)"])
            }
        }
    }
}
