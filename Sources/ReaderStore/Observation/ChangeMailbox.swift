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
