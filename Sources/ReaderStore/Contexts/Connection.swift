import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// One connection to the store, on its own queue. All its errors are ``ReaderStoreError``s.
final class Connection: Sendable {
    let path: String
    private let queue: DatabaseQueue
    private let now: @Sendable () -> Date
    /// Changed only on the queue.
    private let isClosed = Atomic(false)
    /// The thread that is in a transaction; 0 when there is none.
    private let holder = Atomic<pthread_t>(0)

    init(at path: String, now: @escaping @Sendable () -> Date) throws(ReaderStoreError) {
        self.path = path
        self.now = now
        queue = try StoreOpening.open(at: path)
    }

    /// Opens another connection to the same store.
    func another() throws(ReaderStoreError) -> Connection { try Connection(at: path, now: now) }

    /// Calls `body` in a read-only transaction, which sees one state of the store.
    func read<Result>(_ body: (borrowing ReaderTransaction) throws -> Result) throws -> Result {
        try transaction("read", isReading: true, body)
    }

    /// ``read(_:)`` for a `body` that throws only the store's errors.
    func reading<Result>(
        _ body: (borrowing ReaderTransaction) throws(ReaderStoreError) -> Result
    ) throws(ReaderStoreError) -> Result {
        do { return try read(body) } catch let error as ReaderStoreError { throw error } catch {
            throw .database("read", path: path, error)
        }
    }

    /// Calls `body` in a transaction that begins IMMEDIATE. It is rolled back when `body` throws.
    func write<Result>(_ body: (borrowing ReaderTransaction) throws -> Result) throws -> Result {
        try transaction("write", isReading: false, body)
    }

    /// Closes the connection, after a transaction in progress. Closing again does nothing.
    func close() throws(ReaderStoreError) {
        let operation = "close the store"
        try expectNotHeld(operation)
        queue.inDatabase { _ in isClosed.store(true, ordering: .relaxed) }
        do { try queue.close() } catch { throw .database(operation, path: path, error) }
    }

    private func transaction<Result>(
        _ operation: String, isReading: Bool, _ body: (borrowing ReaderTransaction) throws -> Result
    ) throws -> Result {
        try expectNotHeld(operation)
        do {
            return try queue.inDatabase { db in
                // On a closed connection, GRDB would begin a transaction and crash.
                if isClosed.load(ordering: .relaxed) { throw ReaderStoreError.closed(operation, path: path) }
                if Self.hasMoved(db) { throw ReaderStoreError.moved(operation, path: path) }
                return try held {
                    try Self.transaction(on: db, isReading: isReading) {
                        try body(ReaderTransaction(db, path: path, now: now(), isReading: isReading))
                    }
                }
            }
        } catch let error as DatabaseError {
            throw ReaderStoreError.database(operation, path: path, error)
        }
    }

    private static func transaction<Result>(
        on db: Database, isReading: Bool, _ body: () throws -> Result
    ) throws -> Result {
        var result: Result?
        func inTransaction() throws {
            try db.inTransaction(isReading ? .deferred : .immediate) {
                result = try body()
                return .commit
            }
        }
        if isReading { try db.readOnly(inTransaction) } else { try inTransaction() }
        // GRDB has called it or thrown: without a begun transaction there is no commit.
        guard let result else { preconditionFailure("committed without its work") }
        return result
    }

    /// Whether the open file is no longer at its path. Writes to such a file would be lost silently.
    private static func hasMoved(_ db: Database) -> Bool {
        var hasMoved: CInt = 0
        let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        return code == SQLITE_OK && hasMoved != 0
    }

    private func held<Result>(_ body: () throws -> Result) rethrows -> Result {
        holder.store(pthread_self(), ordering: .relaxed)
        defer { holder.store(0, ordering: .relaxed) }
        return try body()
    }

    /// Throws if this thread is in a transaction already: it would wait for itself. Only the thread itself sets
    /// `holder` to its id, so the check needs no lock.
    private func expectNotHeld(_ operation: String) throws(ReaderStoreError) {
        guard holder.load(ordering: .relaxed) != pthread_self() else {
            throw .misuse(
                operation, path: path, cause: "a transaction of the same context is going on",
                hint: "use the one that the closure is given")
        }
    }
}
