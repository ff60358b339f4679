import Foundation
import GRDB

/// One transaction on the store, through which all reads and writes are made. It is valid only in the closure that gets
/// it, and cannot be stored.
///
/// Its methods throw ``ReaderStoreError``. In a closure of ``ViewContext/read(_:)``, methods that change the store
/// throw ``ReaderStoreError/Kind-swift.enum/misuse``. A value that the store cannot store (a time before the year 2000,
/// a text with a NUL) is refused with ``ReaderStoreError/Kind-swift.enum/invalid``.
public struct ReaderTransaction: ~Copyable {
    let db: Database
    let path: String
    private let isReading: Bool
    /// The current time for this transaction.
    public let now: Date

    init(_ db: Database, path: String, now: Date, isReading: Bool) {
        self.db = db
        self.path = path
        self.now = now
        self.isReading = isReading
    }

    /// Calls `body`, and adds the operation to SQLite's errors.
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
