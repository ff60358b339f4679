import Dispatch
import Foundation
import GRDB
import Synchronization

/// Looks what changed when the store's files did, and tells all who listen.
///
/// One look asks `PRAGMA data_version`, and counts only if another connection has committed. Looks are as far apart
/// as is fit for what they cost, and no closer than ``interval``.
final class StoreObservation: Sendable {
    private struct State {
        var version: Int64
        var counts: [ReaderTable: Int]
        var listeners: [UUID: AsyncStream<StoreChange>.Continuation] = [:]
        var isLookPlanned = false
        /// Whether the view context wrote, of which `data_version` tells nothing on its own connection.
        var hasOwnChange = false
        var watch: FileWatch?
    }

    /// A commit is visible only some time after the log was written, and there are more to come.
    private static let interval = Duration.milliseconds(50)
    /// The part of the time that looking may take.
    private static let share = 20

    private let connection: Connection
    private let queue = DispatchQueue(label: "reader.observation")
    private let state: Mutex<State>

    /// Watches the store that `connection` reads.
    init(_ connection: Connection) throws {
        self.connection = connection
        state = Mutex(
            State(version: try Self.version(on: connection), counts: try Self.counts(on: connection)))
        let watch = try FileWatch(path: connection.path, queue: queue) { [weak self] in
            self?.plan(Self.interval)
        }
        state.withLock { $0.watch = watch }
        plan(Self.interval)  // what was committed since it was counted
    }

    /// A stream of what changes from now on. `onEnd` is called when the last one has ended.
    func changes() -> AsyncStream<StoreChange> {
        AsyncStream { continuation in
            let id = UUID()
            state.withLock { $0.listeners[id] = continuation }
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
            }
        }
    }

    /// The connection itself has changed something.
    func noteOwnChange() {
        state.withLock { $0.hasOwnChange = true }
        plan(Self.interval)
    }

    /// Tells at once that rows are gone.
    func merge(_ deleted: [ReaderTable: [String]]) {
        state.withLock { $0.hasOwnChange = true }
        queue.async { self.look(deleted) }
    }

    func cancel() {
        state.withLock { state in
            state.watch?.cancel()
            for listener in state.listeners.values { listener.finish() }
            state.listeners = [:]
        }
    }

    private func plan(_ delay: Duration) {
        let isNew = state.withLock { state in
            defer { state.isLookPlanned = true }
            return !state.isLookPlanned
        }
        guard isNew else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay / .nanoseconds(1)))) { [weak self] in
            guard let self else { return }
            state.withLock { $0.isLookPlanned = false }
            look([:])
        }
    }

    private func look(_ deleted: [ReaderTable: [String]]) {
        let begin = ContinuousClock.now
        // What cannot be read now is looked at when the files change again.
        guard let version = try? Self.version(on: connection) else { return }
        let isNew = state.withLock { state in
            defer { state.hasOwnChange = false }
            return state.hasOwnChange || state.version != version
        }
        guard isNew else { return }
        guard let counts = try? Self.counts(on: connection) else { return }
        let (change, listeners) = state.withLock { state in
            let before = state.counts
            state.version = version
            state.counts = counts
            let tables = counts.filter { before[$0.key] != $0.value }.map { table, after in
                (table, StoreChange.Rows(before: before[table] ?? 0, after: after))
            }
            let change = StoreChange(tables: Dictionary(uniqueKeysWithValues: tables), deleted: deleted)
            return (change, Array(state.listeners.values))
        }
        for listener in listeners { listener.yield(change) }
        // Whatever came meanwhile is seen then.
        plan(max(Self.interval, (ContinuousClock.now - begin) * Self.share))
    }

    /// Differs when another connection has committed.
    private static func version(on connection: Connection) throws -> Int64 {
        try connection.read { try Int64.fetchOne($0.db, sql: "PRAGMA data_version") ?? 0 }
    }

    private static func counts(on connection: Connection) throws -> [ReaderTable: Int] {
        try connection.read { transaction in
            let counts = try ReaderTable.allCases.map { table in
                (table, try Int.fetchOne(transaction.db, sql: "SELECT count(*) FROM \(table.rawValue)") ?? 0)
            }
            return Dictionary(uniqueKeysWithValues: counts)
        }
    }
}
