import Dispatch

/// A context for work that takes a while: imports, deletions. It has a connection and a queue of its own, and keeps
/// neither the view context nor its caller's thread waiting.
public final class BackgroundContext: Sendable {
    private let connection: Connection
    private let queue = DispatchQueue(label: "reader.background")

    var path: String { connection.path }

    init(_ connection: Connection) { self.connection = connection }

    /// Calls `body` on the context's queue, in a transaction that is committed when it returns, and leaves nothing
    /// behind when it throws. One call's transaction comes after the other's; cancelling the caller's task does not
    /// stop it.
    ///
    /// Throws what `body` throws, and ``ReaderStoreError``.
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
