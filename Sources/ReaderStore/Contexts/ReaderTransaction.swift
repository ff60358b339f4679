import Foundation
import GRDB

/// One transaction on the store: what all reading and writing goes through. It ends with the closure that it is given
/// to, and cannot be taken out of that.
///
/// What its methods throw is a ``ReaderStoreError``. In a closure of ``ViewContext/read(_:)`` those that change
/// something throw ``ReaderStoreError/Kind-swift.enum/misuse``; what the store cannot hold (a time before the year
/// 2000, a text with a NUL in it) is refused with ``ReaderStoreError/Kind-swift.enum/invalid``.
public struct ReaderTransaction: ~Copyable {
    let db: Database
    let path: String
    private let isReading: Bool
    /// What time it is to this transaction.
    public let now: Date

    init(_ db: Database, path: String, now: Date, isReading: Bool) {
        self.db = db
        self.path = path
        self.now = now
        self.isReading = isReading
    }

    /// Calls `body`, and says of SQLite's errors what was being done.
    func doing<Result>(
        _ operation: String, _ body: (Database) throws -> Result
    ) throws(ReaderStoreError) -> Result {
        do { return try body(db) } catch let error as ReaderStoreError { throw error } catch {
            if isReading, (error as? DatabaseError)?.extendedResultCode == .SQLITE_READONLY {
                throw .misuse(
                    operation, path: path, cause: "this transaction only reads",
                    hint: "do it in write(_:), or in a background context")
            }
            throw .database(operation, path: path, error)
        }
    }
}
