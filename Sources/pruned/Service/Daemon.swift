// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
@preconcurrency import Dispatch
import Foundation
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
        /// Rules that were asked for by SIGUSR1 and have not begun yet.
        var requested: Set<Name> = []
        /// Rules that wait a while after they could not run.
        var notBefore: [Name: Date] = [:]
        /// Why rules could not run when they last tried.
        var troubles: [Name: String] = [:]
        /// Why the configuration on disk is not the one in force.
        var refusal: String?
        var isStopping = false
    }

    let setup: Setup
    let notifier: any ServiceNotifier
    let logger: Logger
    private let ledger: RunLedger
    private let news = News()
    private let queue = DispatchQueue(label: "pruned.service")
    private let ended = DispatchSemaphore(value: 0)
    private let state: Mutex<State>

    /// How long a rule rests when its store was busy, and when it failed; never longer than its own interval.
    private static let restWhenBusy: TimeInterval = 15
    private static let restWhenFailed: TimeInterval = 600

    /// Opens the stores; throws what makes it senseless to serve.
    init(setup: Setup, notifier: any ServiceNotifier = SystemdNotifier()) throws(Failure) {
        self.setup = setup
        self.notifier = notifier
        logger = setup.logger
        ledger = RunLedger(stateDirectory: setup.stateDirectory)
        let wake = DispatchSource.makeUserDataAddSource(queue: queue)
        // At once: Dispatch traps when a source that was never activated is released, as it is if this fails.
        wake.activate()
        let plan = try ServicePlan(setup: setup, policy: setup.policy, queue: queue, wake: wake)
        try plan.checkStores(logger)
        state = Mutex(State(plan: plan))
        wake.setEventHandler { [weak self] in self?.change { self?.startDueRuns(&$0) } }
    }

    /// Serves until SIGTERM or SIGINT.
    func serve() -> ExitStatus {
        let signals = ProcessSignals.handle([SIGTERM, SIGINT, SIGHUP, SIGUSR1], on: queue) { number in
            self.change { self.receive(number, &$0) }
        }
        let watchdog = Watchdog.interval().map { interval in
            Watchdog(interval: interval, notifier: notifier) { self.isAlive(within: interval / 2) }
        }
        queue.async {
            self.change { state in
                self.logger.log(level: .info, .ready, "ready: \(state.plan.summary)")
                self.schedule(&state)
                self.notifier.notify([.ready, .status(self.statusText(state))])
            }
        }
        ended.wait()
        withExtendedLifetime((signals, watchdog)) {}
        return .done
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
    }

    /// Whether every run makes progress; tells the watchdog.
    private func isAlive(within limit: Duration) -> Bool {
        state.withLock { $0.running.values.allSatisfy { $0.isAlive(within: limit) } }
    }
}

// MARK: - Signals

extension Daemon {
    private func receive(_ number: Int32, _ state: inout State) {
        switch number {
        case SIGHUP: reload(&state)
        case SIGUSR1:
            state.requested = Set(state.plan.policy.rules.map(\.name))
            startDueRuns(&state)
        default: stop(ProcessSignals.name(number), &state)
        }
    }

    private func stop(_ signal: String, _ state: inout State) {
        guard !state.isStopping else { _exit(ExitStatus.done.rawValue) }
        state.isStopping = true
        logger.log(level: .info, .stopping, "stopping: \(signal)")
        notifier.notify([.stopping, .status("Stopping")])
        state.plan.scheduler.cancel()
        for control in state.running.values { control.requestStop("stopped by \(signal)") }
        if state.running.isEmpty { ended.signal() }
    }

    private func reload(_ state: inout State) {
        guard !state.isStopping else { return }
        notifier.notify([
            .reloading(monotonicMicroseconds: UInt64(SystemTime.monotonic() / .microseconds(1))),
            .status("Reading the configuration"),
        ])
        do throws(Failure) {
            let plan = try ServicePlan(
                setup: setup, policy: setup.readPolicy(), queue: queue, wake: state.plan.wake)
            try plan.checkStores(logger)
            state.plan.scheduler.cancel()
            state.plan = plan
            state.notBefore = [:]
            state.troubles = [:]
            state.refusal = nil
            logger.log(level: .notice, .reloaded, "configuration read again: \(plan.summary)")
        } catch {
            state.refusal = error.messages.first?.what
            for message in error.messages {
                let hint = message.hint.map { "; \($0)" } ?? ""
                logger.log(
                    level: .error, .refused, "configuration refused, the old one stays: \(message.what)\(hint)")
            }
        }
        schedule(&state)
        notifier.notify([.ready, .status(statusText(state))])
    }
}

// MARK: - Runs

extension Daemon {
    private func schedule(_ state: inout State) {
        state.plan.scheduler.plan(
            lastRuns: ledger.lastRuns(), notBefore: state.notBefore, now: SystemTime.now)
    }

    private func startDueRuns(_ state: inout State) {
        guard !state.isStopping else { return }
        let due = Set(state.plan.scheduler.dueRules(at: SystemTime.now).map(\.name)).union(state.requested)
        let rules = state.plan.policy.rules.filter { due.contains($0.name) && state.running[$0.store] == nil }
        for (store, rules) in Dictionary(grouping: rules, by: \.store) {
            state.requested.subtract(rules.map(\.name))
            start(rules, on: store, &state)
        }
    }

    private func start(_ rules: [RetentionRule], on store: Name, _ state: inout State) {
        let control = RunControl(monotonic: SystemTime.monotonic)
        state.running[store] = control
        let run = state.plan.run(rules, control: control)
        let journal = RunJournal(logger: logger, runID: run.id, news: news)
        let progress = StatusProgress(notifier: notifier)
        DispatchQueue(label: "pruned.run.\(store)", qos: .utility).async {
            let report = run.execute { event in
                journal.record(event)
                progress.show(event)
            }
            self.queue.async { self.change { self.finish(report, store, rules, &$0) } }
        }
    }

    private func finish(_ report: PruneReport, _ store: Name, _ rules: [RetentionRule], _ state: inout State) {
        state.running[store] = nil
        let now = SystemTime.now
        for (rule, result) in zip(rules, report.rules) {
            state.troubles[rule.name] = result.failure.map { "\(rule.name) \(result.outcome): \($0.cause)" }
            let rest = result.outcome == .failed ? Self.restWhenFailed : Self.restWhenBusy
            state.notBefore[rule.name] =
                result.outcome == .done
                ? nil : now.addingTimeInterval(min(rest, rule.every.approximateSeconds))
        }
        remember(report, rules, &state)
        if state.isStopping {
            if state.running.isEmpty { ended.signal() }
            return
        }
        schedule(&state)
        startDueRuns(&state)
        if state.running.isEmpty { notifier.notify([.status(statusText(state))]) }
    }

    /// What cannot be remembered on disk is remembered in memory, lest a full disk make a rule run without end.
    private func remember(_ report: PruneReport, _ rules: [RetentionRule], _ state: inout State) {
        let done = report.rules.filter { $0.outcome == .done }.map(\.rule)
        do {
            try ledger.record(done, at: report.startedAt)
        } catch {
            if let first = done.first, news.isNews(first, "ledger", error.cause) { logger.error("\(error)") }
            for rule in rules where done.contains(rule.name) {
                state.notBefore[rule.name] = rule.every.after(report.startedAt, in: state.plan.policy.timeZone)
            }
        }
    }

    private func statusText(_ state: State) -> String {
        ServiceStatus(
            next: state.plan.scheduler.next(), timeZone: state.plan.policy.timeZone, refusal: state.refusal,
            troubles: state.troubles.sorted { $0.key < $1.key }.map(\.value)
        ).description
    }
}
