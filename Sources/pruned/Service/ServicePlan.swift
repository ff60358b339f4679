// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
@preconcurrency import Dispatch
import Foundation
import Logging
import Pruning
import Retention

/// What the service works by until the configuration is read again.
struct ServicePlan: Sendable {
    let policy: RetentionPolicy
    let stores: StoreSet
    let scheduler: Scheduler
    let wake: any DispatchSourceUserDataAdd

    /// Creates what is missing of the default store. Throws when a rule does not fit its store.
    init(
        setup: Setup, policy: RetentionPolicy, queue: DispatchQueue, wake: any DispatchSourceUserDataAdd
    ) throws(Failure) {
        self.policy = policy
        self.wake = wake
        stores = setup.stores(of: policy, purpose: "pruned.service")
        try stores.createMissing()
        scheduler = Scheduler(
            policy: policy, makeTimer: { DispatchWallClockTimer(queue: queue) }, wake: { wake.add(data: 1) })
    }

    /// Throws when a rule does not fit its store, or when no store at all can be pruned; logs it when some cannot.
    func checkStores(_ logger: Logger) throws(Failure) {
        try stores.refuseMisfits(of: policy.rules)
        let errors = stores.misfits(of: policy.rules).filter {
            [.damaged, .inputOutput].contains($0.error.kind)
        }
        let broken = Set(errors.map(\.rule.store))
        guard broken.count < Set(policy.rules.map(\.store)).count else {
            throw errors.first.map { Failure($0.error) } ?? Failure(.failed, "the policy has no store")
        }
        for store in broken.sorted() {
            guard let error = errors.first(where: { $0.rule.store == store })?.error else { continue }
            logger.log(level: .error, .runFailed, "\(error)", ["PRUNED_STORE": "\(store)"])
        }
    }

    /// A run of `rules` that starts now.
    func run(_ rules: [RetentionRule], control: RunControl) -> PruneRun {
        let now = SystemTime.now
        var generator = SystemRandomNumberGenerator()
        return PruneRun(
            id: RunID(start: now, using: &generator), startedAt: now, rules: rules, timeZone: policy.timeZone,
            stores: stores.byName,
            settings: RunSettings(batchHold: policy.batchHold, monotonic: SystemTime.monotonic),
            control: control)
    }

    var summary: String {
        let rules = policy.rules.map(\.name.description).joined(separator: ", ")
        let stores = policy.stores.map(\.name.description).joined(separator: ", ")
        return "rules \(rules); stores \(stores)"
    }
}
