import Foundation
import GRDB

/// One transaction on the store: what all reading and writing goes through. It ends with the closure that it is given
/// to, and cannot be taken out of that.
///
/// What its methods throw is a ``ReaderStoreError``. In a closure of ``ViewContext/read(_:)`` those that change
/// something throw.
public struct ReaderTransaction: ~Copyable {
    let db: Database
    let path: String
    /// What time it is to this transaction.
    public let now: Date

    init(_ db: Database, path: String, now: Date) {
        self.db = db
        self.path = path
        self.now = now
    }

    /// Calls `body`, and says of SQLite's errors what was being done.
    func doing<Result>(
        _ operation: String, _ body: (Database) throws -> Result
    ) throws(ReaderStoreError) -> Result {
        do { return try body(db) } catch let error as ReaderStoreError { throw error } catch {
            throw .database(operation, path: path, error)
        }
    }
}

/// Times as the store has them: whole Unix seconds, rounded down.
extension Date {
    init(storeSeconds: Int64) { self.init(timeIntervalSince1970: TimeInterval(storeSeconds)) }

    /// What lies outside of all times that the store can hold becomes one that it refuses.
    var storeSeconds: Int64 {
        Int64(min(max(timeIntervalSince1970.rounded(.down), -1), 1_000_000_000_000))
    }
}
