import Dispatch
import Foundation
import GRDB
import Synchronization

/// Reads what changed after the store's files were written, and tells all listeners.
///
/// It has its own connection. There `PRAGMA data_version` changes with every commit by others, and counting blocks
/// nobody.
final class StoreObservation: Sendable {
    private struct State {
        var seen: Snapshot
        /// The deleted rows of merged deletions that were not reported yet.
        var deleted: [ReaderTable: [String]] = [:]
        var listeners: [Listener] = []
        var hasEnded = false
        var watch: FileWatch?
        var nextLook: ContinuousClock.Instant?
        /// Until then the observation rests, so that reading takes no more than its share of the time.
        var restedAt = ContinuousClock.now
        /// How long to wait for a commit that is not visible yet.
        var wait = StoreObservation.interval
    }

    /// The mailbox is released when its listener is gone.
    private struct Listener {
        weak var mailbox: ChangeMailbox?
    }

    /// The state that is compared.
    private struct Snapshot {
        let version: Int64
        let counts: [ReaderTable: Int]
    }

    /// The least time between two reads. Commits in quicker succession are reported as one.
    private static let interval = Duration.milliseconds(50)
    /// A commit becomes visible only after the disk has acknowledged the log, but the kernel reports only the write
    /// before that. So reads continue, each after twice the time of the last, up to this time.
    private static let longestWait = interval * 64
    /// Reading may take one part in this many of the time.
    private static let share = 20

    private let connection: Connection
    private let queue = DispatchQueue(label: "reader.observation")
    private let state: Mutex<State>

    /// Watches the store through `connection`, which must have no other user.
    init(_ connection: Connection) throws(ReaderStoreError) {
        self.connection = connection
        let seen = try Self.snapshot(on: connection, unlessOf: nil)
        guard let seen else { throw .closed("watch", path: connection.path) }
        state = Mutex(State(seen: seen))
        let watch = try FileWatch(path: connection.path, queue: queue) { [weak self] in self?.expectCommit() }
        state.withLock { $0.watch = watch }
        expectCommit()  // for a commit between the snapshot and the watch
    }

    /// A stream of changes from now on. It retains this object while somebody may listen. Do not call on the queue.
    func changes() -> AsyncStream<StoreChange> {
        let mailbox = ChangeMailbox(of: self)
        queue.sync {
            look()  // reports to the earlier listeners: the new one gets only later changes
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.listeners.append(Listener(mailbox: mailbox)) }
                return state.hasEnded
            }
            if hasEnded { mailbox.end() }
        }
        return mailbox.changes
    }

    /// Reports at once that rows were deleted.
    func merge(_ deleted: [ReaderTable: [String]]) {
        state.withLock { $0.deleted.merge(deleted.filter { !$0.value.isEmpty }) { $0 + $1 } }
        queue.async { self.look() }
    }

    /// Ends all streams and closes the connection. Do not call on the queue.
    func cancel() {
        end()
        // If this fails, the connection closes when it is released.
        queue.sync { try? connection.close() }
    }

    private func end() {
        let (watch, listeners) = state.withLock { state in
            defer { (state.watch, state.listeners, state.hasEnded) = (nil, [], true) }
            return (state.watch, state.listeners)
        }
        watch?.cancel()
        for listener in listeners { listener.mailbox?.end() }
    }

    private func expectCommit() {
        state.withLock { $0.wait = Self.interval }
        plan(Self.interval)
    }

    /// Plans a read after `delay`, unless one comes sooner.
    private func plan(_ delay: Duration) {
        let now = ContinuousClock.now
        let time: ContinuousClock.Instant? = state.withLock { state in
            let time = max(now + delay, state.restedAt)
            if state.hasEnded { return nil }
            if let next = state.nextLook, next <= time { return nil }
            state.nextLook = time
            return time
        }
        guard let time else { return }
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int((time - now) / .nanoseconds(1)))) {
            [weak self] in
            self?.look(plannedAt: time)
        }
    }

    private func look(plannedAt time: ContinuousClock.Instant) {
        let isDue = state.withLock { state in
            guard state.nextLook == time else { return false }  // a sooner one replaced it
            state.nextLook = nil
            return true
        }
        guard isDue else { return }
        let hasChanged = look()
        let wait = state.withLock { state in
            state.wait = hasChanged ? Self.interval : state.wait * 2
            return state.wait
        }
        if wait <= Self.longestWait { plan(wait) }
    }

    /// Reports what has changed. Returns whether anything has. If the store cannot be read now, the next read reports
    /// it. If the store is gone, the observation ends.
    @discardableResult
    private func look() -> Bool {
        let begin = ContinuousClock.now
        let version = state.withLock { $0.seen.version }
        var snapshot: Snapshot?
        do throws(ReaderStoreError) {
            snapshot = try Self.snapshot(on: connection, unlessOf: version)
        } catch {
            if error.kind == .moved { end() }
        }
        let lookedAt = ContinuousClock.now
        let (change, listeners) = state.withLock { state in
            state.restedAt = lookedAt + (lookedAt - begin) * Self.share
            let before = state.seen.counts
            if let snapshot { state.seen = snapshot }
            let rows = state.seen.counts.compactMap { table, after in
                before[table].flatMap {
                    $0 == after ? nil : (table, StoreChange.Rows(before: $0, after: after))
                }
            }
            let change = StoreChange(tables: Dictionary(uniqueKeysWithValues: rows), deleted: state.deleted)
            state.deleted = [:]
            state.listeners.removeAll { $0.mailbox == nil }
            return (change, state.listeners)
        }
        guard snapshot != nil || !change.deleted.isEmpty else { return false }
        for listener in listeners { listener.mailbox?.put(change) }
        return true
    }

    /// The state of the store, read in one transaction; nil if it still has `version`.
    private static func snapshot(
        on connection: Connection, unlessOf version: Int64?
    ) throws(ReaderStoreError) -> Snapshot? {
        try connection.reading { transaction throws(ReaderStoreError) in
            try transaction.doing("look what changed in") { db in
                let current =
                    try Int64.fetchOne(
                        db.cachedStatement(sql: "PRAGMA data_version")) ?? 0
                guard current != version else { return nil }
                let counts = try ReaderTable.allCases.map { table in
                    let sql = "SELECT count(*) FROM \(table.rawValue)"
                    return (table, try Int.fetchOne(db.cachedStatement(sql: sql)) ?? 0)
                }
                return Snapshot(version: current, counts: Dictionary(uniqueKeysWithValues: counts))
            }
        }
    }
}
