import Synchronization

/// What one listener has not been told yet, as one change: who is slow is told less often, and never of less.
final class ChangeMailbox: Sendable {
    private struct State {
        var change: StoreChange?
        var listeners: [CheckedContinuation<StoreChange?, Never>] = []
        var hasEnded = false
    }

    private let state = Mutex(State())
    /// Whoever puts changes here lives as long as somebody may listen.
    private let source: AnyObject & Sendable

    init(of source: AnyObject & Sendable) { self.source = source }

    /// What is put here, as a stream. It ends with ``end()``.
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

    /// Lets nothing more come. What was put before is still taken.
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

/// What changed in the store since an observer was last told: by the app's own contexts, or by another process.
public struct StoreChange: Hashable, Sendable {
    /// How many rows a table had, and has. That rows went is not seen where as many came.
    public struct Rows: Hashable, Sendable {
        /// When the observer was last told.
        public let before: Int
        /// Now.
        public let after: Int
    }

    /// The tables with more rows or fewer. Empty when rows only became others; now and then also when nothing did: that
    /// SQLite's log begins anew cannot be told from that.
    public let tables: [ReaderTable: Rows]
    /// The rows that a merged deletion says it took, by table.
    public let deleted: [ReaderTable: [String]]

    /// This change and the one after it, as one.
    func followed(by later: StoreChange) -> StoreChange {
        let tables = tables.merging(later.tables) { Rows(before: $0.before, after: $1.after) }
        return StoreChange(
            tables: tables.filter { $0.value.before != $0.value.after },
            deleted: deleted.merging(later.deleted) { $0 + $1 })
    }
}
