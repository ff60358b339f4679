import Dispatch
import Foundation
import GRDB
import Synchronization

/// Looks what changed when the store's files did, and tells all who listen.
///
/// It looks through a connection of its own: `PRAGMA data_version` differs there whoever else has committed, and nobody
/// waits while it counts.
final class StoreObservation: Sendable {
    private struct State {
        var seen: Snapshot
        /// What merged deletions took, and has not been told.
        var deleted: [ReaderTable: [String]] = [:]
        var listeners: [Listener] = []
        var hasEnded = false
        var watch: FileWatch?
        var nextLook: ContinuousClock.Instant?
        /// When the last look has cost no more than its share.
        var restedAt = ContinuousClock.now
        /// How long to wait for a commit that may still come.
        var wait = StoreObservation.interval
    }

    /// Gone when nobody can listen there any more.
    private struct Listener {
        weak var mailbox: ChangeMailbox?
    }

    /// What is compared.
    private struct Snapshot {
        let version: Int64
        let counts: [ReaderTable: Int]
    }

    /// How far apart looks are at least: commits that follow each other more closely are told as one.
    private static let interval = Duration.milliseconds(50)
    /// A commit is visible only when the disk has acknowledged the log, whose writing was the last that the kernel told
    /// of: looks go on, each after twice the time, up to this one.
    private static let longestWait = interval * 64
    /// One part in so many of the time may go into looking.
    private static let share = 20

    private let connection: Connection
    private let queue = DispatchQueue(label: "reader.observation")
    private let state: Mutex<State>

    /// Watches the store through `connection`, which nobody else uses.
    init(_ connection: Connection) throws(ReaderStoreError) {
        self.connection = connection
        let seen = try Self.snapshot(on: connection, unlessOf: nil)
        guard let seen else { throw .closed("watch", path: connection.path) }
        state = Mutex(State(seen: seen))
        let watch = try FileWatch(path: connection.path, queue: queue) { [weak self] in self?.expectCommit() }
        state.withLock { $0.watch = watch }
        expectCommit()  // one between the snapshot and the watch
    }

    /// A stream of what changes from now on. It keeps this alive as long as somebody may listen to it. Not to be called
    /// from the queue.
    func changes() -> AsyncStream<StoreChange> {
        let mailbox = ChangeMailbox(of: self)
        queue.sync {
            look()  // for those who listen already: what has changed so far is not this one's
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.listeners.append(Listener(mailbox: mailbox)) }
                return state.hasEnded
            }
            if hasEnded { mailbox.end() }
        }
        return mailbox.changes
    }

    /// Tells at once that rows are gone.
    func merge(_ deleted: [ReaderTable: [String]]) {
        state.withLock { $0.deleted.merge(deleted.filter { !$0.value.isEmpty }) { $0 + $1 } }
        queue.async { self.look() }
    }

    /// Ends all streams and closes the connection. Not to be called from the queue.
    func cancel() {
        end()
        // It closes when it is released, if not now.
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

    /// Plans a look after `delay`, unless one comes sooner.
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
            guard state.nextLook == time else { return false }  // one that came sooner took its place
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

    /// Tells what has changed, if anything has. What cannot be read now is looked at the next time; when the store is not
    /// there any more there is none.
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

    /// What is in the store, in one transaction; nil when that still has `version`.
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
