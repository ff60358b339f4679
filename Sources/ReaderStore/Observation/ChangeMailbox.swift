import Synchronization

/// Collects changes for one listener until it takes them, merged into one. A slow listener is told less often, but
/// misses nothing.
final class ChangeMailbox: Sendable {
    private struct State {
        var change: StoreChange?
        var listeners: [CheckedContinuation<StoreChange?, Never>] = []
        var hasEnded = false
    }

    private let state = Mutex(State())
    /// The object that puts changes here. It lives while somebody may listen.
    private let source: AnyObject & Sendable

    init(of source: AnyObject & Sendable) { self.source = source }

    /// The changes as a stream. It ends after ``end()``.
    var changes: AsyncStream<StoreChange> {
        AsyncStream(unfolding: { await self.take() }, onCancel: { self.end() })
    }

    func put(_ change: StoreChange) {
        let listener = state.withLock { state -> CheckedContinuation<StoreChange?, Never>? in
            if let first = state.listeners.first {
                state.listeners.removeFirst()
                return first
            }
            if !state.hasEnded { state.change = state.change?.followed(by: change) ?? change }
            return nil
        }
        listener?.resume(returning: change)
    }

    /// Accepts no further changes. The listener still gets those put before.
    func end() {
        let listeners = state.withLock { state in
            defer { (state.listeners, state.hasEnded) = ([], true) }
            return state.listeners
        }
        for listener in listeners { listener.resume(returning: nil) }
    }

    private func take() async -> StoreChange? {
        await withCheckedContinuation { continuation in
            let change = state.withLock { state -> StoreChange?? in
                if let change = state.change {
                    state.change = nil
                    return change
                }
                if state.hasEnded { return .some(nil) }
                state.listeners.append(continuation)
                return nil
            }
            if let change { continuation.resume(returning: change) }
        }
    }
}

/// What changed in the store since an observer was last told, by the app's own contexts or by another process.
public struct StoreChange: Hashable, Sendable {
    /// The number of rows that a table had and has. If as many rows were added as deleted, no change is seen.
    public struct Rows: Hashable, Sendable {
        /// The number when the observer was last told.
        public let before: Int
        /// The number now.
        public let after: Int
    }

    /// The tables whose number of rows changed. Empty when only the content of rows changed. It may also be empty when
    /// nothing changed, because a restart of SQLite's log looks like a commit.
    public let tables: [ReaderTable: Rows]
    /// The ids of the rows that merged deletions deleted, by table.
    public let deleted: [ReaderTable: [String]]

    /// This change and a later one, combined.
    func followed(by later: StoreChange) -> StoreChange {
        let tables = tables.merging(later.tables) { Rows(before: $0.before, after: $1.after) }
        return StoreChange(
            tables: tables.filter { $0.value.before != $0.value.after },
            deleted: deleted.merging(later.deleted) { $0 + $1 })
    }
}
