// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
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

/// The service: runs what the scheduler says is due until it is told to stop.
///
/// Everything that changes the service's state happens on one serial queue; runs happen beside it, one at a time for
/// each store, and come back to the queue when they end.
final class Daemon: Sendable {
    struct State {
        var plan: ServicePlan
        /// The runs in progress, by store.
        var running: [Name: RunControl] = [:]
        /// Rules that were asked for by SIGUSR1, due or not, and have not begun since, or could not run.
        var requested: Set<Name> = []
        /// Rules that wait a while after they could not run.
        var notBefore: [Name: Date] = [:]
        /// Why the clock was not believed when a run last asked.
        var clockDoubt: String?
        /// Whether a look at the clock is planned: one for all stores, else each would plan one for each.
        var looksAtClockAgain = false
        /// Which runs are worth an entry of the history.
        var digest: HistoryDigest
        /// What it says of itself: by what it works, what it refused, and which rules could not run when they last tried.
        var record: ServiceRecord
        /// What of that stands in the state directory.
        var written: ServiceRecord?
        var isStopping = false
        /// Whether the process is about to end, as a run cannot.
        var isEnding = false
    }

    let setup: Setup
    let notifier: any ServiceNotifier
    let logger: Logger
    let ledger: Ledger
    let clockGuard: ClockGuard
    let history: HistoryRecorder
    let initiator: Initiator
    let filter: RepeatFilter
    /// By which others see that it runs, and no second one starts.
    private let presence: ServicePresence?
    /// Why the record could not be written when that was last tried.
    let recordTrouble = Mutex<String?>(nil)
    let queue = DispatchQueue(label: "pruned.service")
    /// Signalled when the service was told to stop and no run is left.
    let ended = DispatchSemaphore(value: 0)
    private let state: Mutex<State>

    /// Opens the stores; throws what makes it senseless to serve.
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
            presence = try ServicePresence(stateDirectory: setup.stateDirectory)
        } catch {
            throw Failure(error)
        }
        let obstructed: Set<Name>
        do throws(Failure) { obstructed = try plan.checkStores(logger) } catch {
            plan.metrics?.show(isConfigurationInForce: error.status != .configuration)
            throw setup.missingConfiguration.map(error.unconfigured) ?? error
        }
        var state = State(plan: plan, digest: HistoryDigest(by: initiator), record: plan.record())
        let record = ledger.readIfPossible(or: nil) { try $0.serviceRecord() }
        Self.takeUp(record?.troubles ?? [:], &state)
        // Due or not: what fails is told, and tried again until it works.
        state.requested.formUnion(plan.policy.rules.filter { obstructed.contains($0.store) }.map(\.name))
        self.state = Mutex(state)
        wake.setEventHandler { [weak self] in self?.change { self?.wakeUp(&$0) } }
    }

    /// Serves until SIGTERM or SIGINT.
    func serve() -> ExitStatus {
        let signals =
            ProcessSignals.stop(on: queue, status: { _ in ExitStatus.done.rawValue }) { name in
                self.change { self.stop(name, &$0) }
            }
            + ProcessSignals.handle([SIGHUP, SIGUSR1], on: queue) { number in
                self.change { self.receive(number, &$0) }
            }
        let watchdog = Watchdog.interval().map { interval in
            Watchdog(interval: interval, notifier: notifier) { self.isAlive(within: interval / 2) }
        }
        queue.async {
            self.change { state in
                self.logger.log(level: .info, .ready, "ready: \(state.plan.summary)")
                state.plan.showMetrics()
                self.schedule(&state)
                self.write(&state)
                self.notifier.notify([.ready, .status(self.statusText(state))])
            }
        }
        lookForHoldsAgain()
        ended.wait()
        withExtendedLifetime((signals, watchdog)) {}
        change { history.record($0.digest.flush()) }
        return .done
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
                // Of the clock it is told once.
                trouble.waitsFor == .clock ? nil : "\(rule) \(trouble.outcome): \(trouble.cause)"
            } + metrics
        ).description
    }

    /// Whether every run makes progress; tells the watchdog.
    private func isAlive(within limit: Duration) -> Bool {
        state.withLock { $0.running.values.allSatisfy { $0.isAlive(within: limit) } }
    }
}
