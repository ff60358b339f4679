import Foundation
import GRDB

/// One connection to the store, on a queue of its own. Everything that fails on it is a ``ReaderStoreError``.
final class Connection: Sendable {
    let path: String
    let queue: DatabaseQueue
    private let now: @Sendable () -> Date

    init(at path: String, now: @escaping @Sendable () -> Date) throws(ReaderStoreError) {
        self.path = path
        self.now = now
        queue = try ReaderStore.open(at: path)
    }

    /// Calls `body` in a transaction that sees one state of the store and cannot change it.
    func read<Result>(_ body: (borrowing ReaderTransaction) throws -> Result) throws -> Result {
        try reported("read") {
            try queue.read { db in try body(ReaderTransaction(db, path: path, now: now())) }
        }
    }

    /// Calls `body` in a transaction that begins IMMEDIATE; it is rolled back when `body` throws.
    func write<Result>(_ body: (borrowing ReaderTransaction) throws -> Result) throws -> Result {
        try reported("write") {
            try queue.write { db in try body(ReaderTransaction(db, path: path, now: now())) }
        }
    }

    private func reported<Result>(_ operation: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let error as DatabaseError {
            throw ReaderStoreError.database(operation, path: path, error)
        }
    }

    func close() throws(ReaderStoreError) {
        do { try queue.close() } catch { throw .database("close the store", path: path, error) }
    }
}
