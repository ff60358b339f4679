import Foundation
import Synchronization

/// Work that keeps its thread, which no thread of Swift's own may: there are as many as cores, for all tasks.
enum Blocking {
    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    /// Calls `body` on a thread of its own. It is told whether the task was cancelled; whatever it then does, this
    /// throws `CancellationError`.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable (_ isCancelled: @escaping () -> Bool) throws -> Result
    ) async throws -> Result {
        let flag = Flag()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        returning: Swift.Result { try body { flag.isSet.load(ordering: .acquiring) } })
                }
            }
        } onCancel: {
            flag.isSet.store(true, ordering: .releasing)
        }
        try Task.checkCancellation()
        return try result.get()
    }
}
