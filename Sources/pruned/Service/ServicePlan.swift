// Dispatch objects are thread-safe, but on Linux they are not yet declared Sendable.
@preconcurrency import Dispatch
import Dispatch
import Ledger
import Logging
import PolicyFile
import Pruning
import Retention

/// What the service works with until the configuration is read again.
struct ServicePlan: Sendable {
    private(set) var configuration: Configuration
    private(set) var stores: StoreSet
    private(set) var scheduler: Scheduler
    let wake: any DispatchSourceUserDataAdd
    /// Nil when the configuration asks for no metrics.
    private(set) var metrics: MetricsWriter?
    private let queue: DispatchQueue
    private let program: String
    private let ledger: Ledger
    private let logger: Logger

    var policy: RetentionPolicy { configuration.policy }

    /// How long a start and a reload wait for the stores. A service manager waits ten seconds for a service to end.
    private static let longestLook = Duration.seconds(6)

    /// Asks no store yet; see ``lookAtStores()``.
    init(
        setup: Setup, configuration: Configuration, queue: DispatchQueue,
        wake: any DispatchSourceUserDataAdd
    ) throws(Failure) {
        self.configuration = configuration
        (self.wake, self.queue) = (wake, queue)
        program = setup.program
        ledger = setup.ledger
        logger = setup.logger
        stores = try setup.stores(of: configuration, purpose: Self.purpose)
        try stores.createStateDirectory()
        // A damaged ledger is set aside now. A write error is reported when a run is recorded.
        try? ledger.prepare()
        metrics = MetricsWriter(configuration, stores: stores, setup: setup)
        scheduler = Self.scheduler(of: configuration.policy, queue, wake)
    }

    private static func scheduler(
        of policy: RetentionPolicy, _ queue: DispatchQueue, _ wake: any DispatchSourceUserDataAdd
    ) -> Scheduler {
        Scheduler(
            policy: policy, makeTimer: { DispatchWallClockTimer(queue: queue) }, wake: { wake.add(data: 1) })
    }

    /// The same with the stores of families that are there now. Nothing is planned in it yet if there are others than before.
    func searched(by setup: Setup) -> ServicePlan {
        let expanded = setup.search.expanded(configuration)
        guard expanded != configuration,
            let opened = try? setup.stores(of: expanded, purpose: Self.purpose)
        else { return self }
        var plan = self
        plan.configuration = expanded
        plan.stores = opened
        plan.metrics = MetricsWriter(expanded, stores: opened, setup: setup)
        plan.scheduler = Self.scheduler(of: expanded.policy, queue, wake)
        return plan
    }

    /// Moves the default store of an older version, see ``StoreMove``. Use the ``reopened(for:)`` one if it was.
    func moveDefaultStore(sayingAt level: Logger.Level) -> Bool {
        stores.moveDefaultStore(ledger, logger, sayingAt: level)
    }

    /// The same with the stores where they are now.
    func reopened(for setup: Setup) -> ServicePlan {
        guard let opened = try? setup.stores(of: configuration, purpose: Self.purpose) else { return self }
        var plan = self
        plan.stores = opened
        plan.metrics = MetricsWriter(configuration, stores: opened, setup: setup)
        return plan
    }

    private static let purpose = "pruned.service"

    /// Creates the default store if it is missing, and asks all. Throws when no store can be pruned. Otherwise logs the
    /// stores that cannot be pruned, and returns the rules to try at once, so that their errors are reported: those on such
    /// stores, and those that do not fit their store. An app's upgrade may change a store at any time, so a misfit is the
    /// failure of its rule alone.
    func lookAtStores() throws(Failure) -> Set<Name> {
        let known = try stores.createMissing(logger)
        let fits = stores.fits(of: policy.rules, within: Self.longestLook, besides: known)
        let misfits = stores.misfits(of: policy.rules, fits)
        let pruned = Set(policy.rules.map(\.store))
        let obstacles = obstacles(fits, misfits)
        guard obstacles.count < pruned.count || pruned.isEmpty && !configuration.families.isEmpty else {
            throw obstacles.min { $0.key < $1.key }.map { Failure($0.value) }
                ?? Failure(.failed, "the policy has no store")
        }
        for (store, error) in obstacles.sorted(by: { $0.key < $1.key }) {
            logger.log(
                level: .error, .unusable, error.reason, hint: error.hint, ["PRUNED_STORE": "\(store)"])
        }
        let obstructed = policy.rules.filter { obstacles[$0.store] != nil }.map(\.name)
        return Set(obstructed + misfits.map(\.rule.name))
    }

    /// Why stores cannot be pruned at all, by store: they are damaged, or cannot be read or written. A server that does not
    /// answer yet is no such reason: it may start after the service, and each run asks it again.
    private func obstacles(_ fits: [Name: StoreFit], _ misfits: [StoreSet.Misfit]) -> [Name: StoreError] {
        // Nor that somebody cancels a statement.
        var obstacles = fits.compactMapValues(\.access).filter { ![.busy, .tooSlow].contains($1.kind) }
        for (rule, error) in misfits
        where [.damaged, .inputOutput].contains(error.kind) && obstacles[rule.store] == nil {
            obstacles[rule.store] = error
        }
        for (name, error) in obstacles
        where error.kind == .inputOutput && stores.byName[name]?.definition.format.isServer == true {
            obstacles[name] = nil
            logger.log(
                level: .warning, .unusable, error.reason, hint: error.hint, ["PRUNED_STORE": "\(name)"])
        }
        return obstacles
    }

    /// A run of `rules` that starts now.
    func run(
        _ rules: [RetentionRule], memory: GuardMemory, holds: any ConfirmationMemory, clockGuard: ClockGuard,
        control: RunControl
    ) -> PruneRun {
        var settings = RunSettings(
            lockTime: policy.lockTime, workers: policy.workers, memory: memory, clockGuard: clockGuard,
            monotonic: SystemTime.monotonic)
        settings.holds = holds
        settings.keepsHours = true
        settings.program = program
        return stores.run(rules, settings, control)
    }

    /// Writes the metrics file, so that it exists before the first run. Logs if an earlier metrics file is no longer
    /// updated.
    func showMetrics() {
        MetricsWriter.sayAbandoned(by: configuration, ledger: ledger, logger)
        metrics?.show(isConfigurationInForce: true)
    }

    var summary: String {
        let rules = configuration.template.rules.map(\.name.description).joined(separator: ", ")
        let stores = configuration.template.stores.map { "\($0.name)" + ($0.family == nil ? "" : "/*") }
            .joined(separator: ", ")
        return "rules \(rules); stores \(stores)"
    }
}
