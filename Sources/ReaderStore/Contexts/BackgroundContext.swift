import Dispatch

/// A context for longer work, such as imports and deletions. It has its own connection and queue, and blocks neither
/// the view context nor the caller's thread.
public final class BackgroundContext: Sendable {
    private let connection: Connection
    private let queue = DispatchQueue(label: "reader.background")

    var path: String { connection.path }

    init(_ connection: Connection) { self.connection = connection }

    /// Calls `body` on the context's queue, in a transaction. It is committed when `body` returns, and rolled back when
    /// `body` throws. Calls are executed one after the other. Cancelling the caller's task does not stop a call.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (borrowing ReaderTransaction) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Swift.Result { try self.connection.write(body) })
            }
        }
    }
}
