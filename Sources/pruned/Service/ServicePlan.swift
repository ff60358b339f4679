// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
@preconcurrency import Dispatch
import Dispatch
import FoundationEssentials
import Ledger
import Logging
import PolicyFile
import Pruning
import Retention

/// What the service works by until the configuration is read again.
struct ServicePlan: Sendable {
    let configuration: Configuration
    let stores: StoreSet
    let scheduler: Scheduler
    let wake: any DispatchSourceUserDataAdd
    /// Nil where the configuration asks for no metrics.
    let metrics: MetricsWriter?
    private let program: String
    private let ledger: Ledger
    private let logger: Logger

    var policy: RetentionPolicy { configuration.policy }

    /// Creates what is missing of the default store. Throws when a rule does not fit its store.
    init(
        setup: Setup, configuration: Configuration, queue: DispatchQueue,
        wake: any DispatchSourceUserDataAdd
    ) throws(Failure) {
        self.configuration = configuration
        self.wake = wake
        program = setup.program
        ledger = setup.ledger
        logger = setup.logger
        stores = try setup.stores(of: configuration.policy, purpose: "pruned.service")
        try stores.createMissing()
        // What is damaged is set aside now. What cannot be written is said when a run is to be remembered.
        try? ledger.prepare()
        metrics = MetricsWriter(configuration, stores: stores, setup: setup)
        scheduler = Scheduler(
            policy: configuration.policy, makeTimer: { DispatchWallClockTimer(queue: queue) },
            wake: { wake.add(data: 1) })
    }

    /// Throws when a rule does not fit its store, or when no store at all can be pruned. Logs, and returns, which cannot.
    func checkStores(_ logger: Logger) throws(Failure) -> Set<Name> {
        let misfits = try stores.refuseMisfits(of: policy.rules)
        let pruned = Set(policy.rules.map(\.store))
        let obstacles = obstacles(of: pruned, misfits)
        guard obstacles.count < pruned.count else {
            throw obstacles.min { $0.key < $1.key }.map { Failure($0.value) }
                ?? Failure(.failed, "the policy has no store")
        }
        for (store, error) in obstacles.sorted(by: { $0.key < $1.key }) {
            logger.log(
                level: .error, .unusable, error.reason, hint: error.hint, ["PRUNED_STORE": "\(store)"])
        }
        return Set(obstacles.keys)
    }

    /// Why stores cannot be pruned at all, by store: each is damaged, or not to be read or written.
    private func obstacles(of names: Set<Name>, _ misfits: [StoreSet.Misfit]) -> [Name: StoreError] {
        var obstacles: [Name: StoreError] = [:]
        for (name, store) in stores.byName where names.contains(name) && store.exists() {
            do throws(StoreError) { try store.checkAccess() } catch {
                if error.kind != .busy { obstacles[name] = error }
            }
        }
        for (rule, error) in misfits
        where [.damaged, .inputOutput].contains(error.kind) && obstacles[rule.store] == nil {
            obstacles[rule.store] = error
        }
        return obstacles
    }

    /// A run of `rules` that starts now.
    func run(
        _ rules: [RetentionRule], memory: GuardMemory, holds: any ConfirmationMemory, clockGuard: ClockGuard,
        control: RunControl
    ) -> PruneRun {
        var settings = RunSettings(
            lockTime: policy.lockTime, memory: memory, clockGuard: clockGuard,
            monotonic: SystemTime.monotonic)
        settings.holds = holds
        settings.program = program
        return stores.run(rules, settings, control)
    }

    /// Writes the metrics, so that they are there before the first run, and says which file of theirs gets no more.
    func showMetrics() {
        MetricsWriter.sayAbandoned(by: configuration, ledger: ledger, logger)
        metrics?.show(isConfigurationInForce: true)
    }

    var summary: String {
        let rules = policy.rules.map(\.name.description).joined(separator: ", ")
        let stores = policy.stores.map(\.name.description).joined(separator: ", ")
        return "rules \(rules); stores \(stores)"
    }
}
