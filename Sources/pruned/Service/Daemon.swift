// Dispatch objects are thread-safe, but on Linux they are not yet declared Sendable.
@preconcurrency import Dispatch
import Dispatch
import FoundationEssentials
import Glibc
import Ledger
import Logging
import Pruning
import Retention
import Synchronization
import Systemd

/// The service: runs the rules that the scheduler says are due, until it is told to stop.
///
/// The service's state changes on one serial queue only. Runs are executed on other queues, one at a time for each
/// store. When a run ends, its result is processed on the serial queue.
final class Daemon: Sendable {
    struct State {
        var plan: ServicePlan
        /// The runs in progress, by store.
        var running: [Name: RunControl] = [:]
        /// Rules to run whether or not they are due, for example after SIGUSR1. A rule leaves the set when its run
        /// begins, and returns if that run does not complete it.
        var requested: Set<Name> = []
        /// Rules that a person wants to run now, also outside of their hours, until their run begins.
        var atAnyTime: Set<Name> = []
        /// Rules that rest for a while after a run that did not complete them.
        var notBefore: [Name: Date] = [:]
        /// Why the clock was not believed in the last run; nil when it was.
        var clockDoubt: String?
        /// Whether a check of the clock is planned. One check serves all stores.
        var looksAtClockAgain = false
        /// Decides which runs get a history entry.
        var digest: HistoryDigest
        /// The service's record: the policy in force, a refused configuration, and the rules that did not complete
        /// their last run.
        var record: ServiceRecord
        /// The record as last written to the state directory.
        var written: ServiceRecord?
        var isStopping = false
        /// Whether the stores are looked at for the first time. No run begins before that is over.
        var isLooking = true
        /// Whether the stores of a configuration that was read again are looked at. No run begins meanwhile.
        var isReloading = false
        /// Whether a further reload was asked for meanwhile.
        var reloadsAgain = false
        /// Whether a look for stores of families is planned.
        var searches = false
        var mayBegin: Bool { !isStopping && !isLooking && !isReloading }
        /// Why no store can be pruned, so that the service ends.
        var failure: Failure?
        /// How many stores are worked on.
        var places: WorkerPlaces
        /// The store whose run started last.
        var started: Name?
        /// Whether due rules wait for a place.
        var waitsForPlace = false
    }

    let setup: Setup
    let notifier: any ServiceNotifier
    let logger: Logger
    let ledger: Ledger
    let clockGuard: ClockGuard
    let history: HistoryRecorder
    let initiator: Initiator
    /// What the service before this one had not completed.
    let earlierTroubles: [String: RuleTrouble]
    let filter: RepeatFilter
    /// Shows other processes that the service runs, and prevents a second service.
    private let presence: Mutex<ServicePresence?>
    /// Why the last attempt to write the ledger failed; nil when it did not.
    let recordTrouble = Mutex<String?>(nil)
    let queue = DispatchQueue(label: "pruned.service")
    /// Signalled when the service was told to stop and no run is left.
    let ended = DispatchSemaphore(value: 0)
    private let state: Mutex<State>

    /// Asks no store: the service is ready before. Throws when it cannot do anything useful.
    init(setup: Setup, notifier: any ServiceNotifier = SystemdNotifier()) throws(Failure) {
        self.setup = setup
        self.notifier = notifier
        logger = setup.logger
        ledger = setup.ledger
        try setup.checkState()
        filter = RepeatFilter(ledger.readIfPossible(or: [:]) { try $0.holds() })
        clockGuard = setup.makeClockGuard()
        history = setup.makeHistoryRecorder()
        initiator = Initiator(.service, user: setup.caller)
        let wake = DispatchSource.makeUserDataAddSource(queue: queue)
        wake.setEventHandler {}
        wake.activate()  // before anything can throw: Dispatch crashes when an inactive source is released
        let plan = try ServicePlan(setup: setup, configuration: setup.configuration, queue: queue, wake: wake)
        do throws(StoreError) {
            presence = Mutex(try ServicePresence(stateDirectory: setup.stateDirectory))
        } catch {
            throw Failure(error)
        }
        var state = State(
            plan: plan, digest: HistoryDigest(by: initiator), record: plan.record(),
            places: WorkerPlaces(workers: plan.policy.workers))
        let record = ledger.readIfPossible(or: nil) { try $0.serviceRecord() }
        earlierTroubles = record?.troubles ?? [:]
        Self.takeUp(earlierTroubles, &state)
        // Runs by hand and of the timer leave no trouble in the record.
        let failed = ledger.failedRules()
        state.requested.formUnion(
            plan.policy.rules.map(\.name).filter { failed.contains($0.description) })
        state.notBefore = ledger.turns(of: plan.policy)
        self.state = Mutex(state)
        wake.setEventHandler { [weak self] in self?.change { self?.wakeUp(&$0) } }
    }

    /// Serves until SIGTERM or SIGINT. Throws when no store can be pruned.
    func serve() throws(Failure) -> ExitStatus {
        let signals =
            ProcessSignals.stop(on: queue, status: { _ in ExitStatus.done.rawValue }) { name in
                self.change { self.stop(name, &$0) }
            }
            + ProcessSignals.handle([SIGHUP, SIGUSR1, SIGUSR2], on: queue) { number in
                self.change { self.receive(number, &$0) }
            }
        let watchdog = Watchdog.interval().map { interval in
            Watchdog(interval: interval, notifier: notifier) { self.isAlive(within: interval / 2) }
        }
        queue.async {
            self.change { state in
                self.logger.log(level: .info, .ready, "ready: \(state.plan.summary)")
                self.write(&state)
                self.notifier.notify([.ready, .status("Looking at the stores")])
                self.lookAtStores(by: state.plan)
            }
        }
        lookForHoldsAgain()
        ended.wait()
        withExtendedLifetime((signals, watchdog)) {}
        change { history.record($0.digest.flush()) }
        presence.withLock { $0 = nil }
        setup.publisher.changed()
        setup.publisher.finish()
        if let failure = state.withLock({ $0.failure }) { throw failure }
        return .done
    }

    /// The first look. A configuration that is read meanwhile has had its own.
    private func lookAtStores(by plan: ServicePlan) {
        DispatchQueue(label: "pruned.look").async {
            plan.showMetrics()
            let isMoved = plan.moveDefaultStore(sayingAt: .notice)
            let reopened = isMoved ? plan.reopened(for: self.setup) : plan
            let plan = reopened.searched(by: self.setup)
            let looked = Result { () throws(Failure) in try plan.lookAtStores() }
            self.queue.async { self.change { self.takeUp(looked, plan, isMoved: isMoved, &$0) } }
        }
    }

    private func takeUp(
        _ looked: Result<Set<Name>, Failure>, _ plan: ServicePlan, isMoved: Bool, _ state: inout State
    ) {
        guard state.isLooking, !state.isStopping else { return }
        guard !state.isReloading else {
            // A configuration that is refused leaves this one in force.
            return queue.asyncAfter(deadline: .now() + 0.05) {
                self.change { self.takeUp(looked, plan, isMoved: isMoved, &$0) }
            }
        }
        state.isLooking = false
        if isMoved { state.plan = plan }
        if plan.configuration != state.plan.configuration {
            use(plan, &state)
            Self.takeUp(earlierTroubles, &state)
            write(&state)
        }
        searchAgain(&state)
        switch looked {
        case .success(let obstructed):
            // They are tried even if not due, so that their errors are reported, and again until they work.
            state.requested.formUnion(obstructed)
            schedule(&state)
            startDueRuns(&state)
            notifier.notify([.status(statusText(state))])
        case .failure(let failure):
            plan.metrics?.show(isConfigurationInForce: failure.status != .configuration)
            state.failure = failure
            state.isStopping = true
            ended.signal()
        }
    }

    func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
    }

    func statusText(_ state: State) -> String {
        let metrics = state.plan.metrics?.obstacle.map { ["metrics are not written: \($0)"] } ?? []
        return ServiceStatus(
            running: state.running.keys.sorted(), next: state.plan.scheduler.next(),
            timeZone: state.plan.policy.timeZone, clockDoubt: state.clockDoubt,
            refusal: state.record.refusal?.reason,
            troubles: state.record.troubles.sorted { $0.key < $1.key }.compactMap { rule, trouble in
                // The doubt about the clock is shown once already.
                trouble.waitsFor == .clock ? nil : "\(rule) \(trouble.outcome): \(trouble.cause)"
            } + metrics
        ).description
    }

    /// Whether every run makes progress, for the watchdog.
    private func isAlive(within limit: Duration) -> Bool {
        state.withLock { $0.running.values.allSatisfy { $0.isAlive(within: limit) } }
    }
}
