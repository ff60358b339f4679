// Dispatch objects are thread-safe, but on Linux they are not yet declared Sendable.
@preconcurrency import Dispatch
import FoundationEssentials
import Ledger
import PolicyFile
import Pruning
import Retention
import Synchronization
import Systemd

/// Writes ``PublishedStatus`` after changes of the ledger: once a second at most, and in a twentieth of the time at most.
///
/// What it cannot write stays as it was, and says when that was.
final class StatusPublisher: Sendable {
    /// What is published.
    struct Source: Sendable {
        let configuration: Configuration
        let ledger: Ledger
        /// The command line that calls this program.
        let program: String
        /// The configuration file.
        let file: String?
    }

    private struct State {
        var source: Source?
        var isPlanned = false
        /// No earlier than this, on the monotonic clock.
        var next = Duration.zero
    }

    private let state = Mutex(State())
    private let start = SystemTime.now
    private let queue = DispatchQueue(label: "pruned.status", qos: .utility)
    private static let interval = Duration.seconds(1)

    /// From now on this is published.
    func use(_ source: Source) { state.withLock { $0.source = source } }

    /// For a command that may be done soon: then it publishes once, at its end.
    func holdBack() { state.withLock { $0.next = SystemTime.monotonic() + Self.interval } }

    /// The ledger has changed.
    func changed() {
        let pause = state.withLock { state -> Duration? in
            guard state.source != nil, !state.isPlanned else { return nil }
            state.isPlanned = true
            return max(.zero, state.next - SystemTime.monotonic())
        }
        if let pause { queue.asyncAfter(deadline: .now() + pause.seconds) { [self] in publish() } }
    }

    /// Publishes what has changed, now.
    func finish() { queue.sync { publish() } }

    private func publish() {
        let source = state.withLock { state -> Source? in
            guard state.isPlanned else { return nil }
            state.isPlanned = false
            return state.source
        }
        guard let source else { return }
        let began = SystemTime.monotonic()
        try? source.publish(start)
        FreeMemory.giveBack()
        let end = SystemTime.monotonic()
        state.withLock { $0.next = end + max(Self.interval, (end - began) * 19) }
    }
}

extension StatusPublisher.Source {
    /// `start` is when this process began.
    fileprivate func publish(_ start: Date) throws {
        let (policy, now) = (configuration.policy, SystemTime.now)
        let found = try ledger.read(or: nil) { tables in
            try (
                StateReading(tables, until: now, in: policy.timeZone),
                tables.history(runs: PublishedStatus.runs)
            )
        }
        guard let (records, history) = found else { return }
        var status = StatusReport(
            at: now, timeZone: policy.timeZone, stateDirectory: ledger.stateDirectory,
            deletions: records.deletions)
        status.configuration = file
        status.dropIns = configuration.files.filter { $0 != file }
        status.isServing = ServicePresence.isSeen(stateDirectory: ledger.stateDirectory)
        status.stores = policy.stores.map { StoreStatus(of: $0) }
        status.add(
            records, of: policy, at: StoreSet.places(of: policy, in: ledger.stateDirectory),
            program: program, runningSince: start)
        try PublishedStatus.write(status, HistorySelection().apply(to: history), records)
    }
}
