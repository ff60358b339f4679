import GRDB
import GRDBSQLite
import Pruning

/// Turns what SQLite says into a ``StoreError`` with the operation and the place.
struct SQLiteFailure {
    let operation: String
    let place: String

    /// Runs `body`, translating what it throws.
    func translating<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError {
            throw storeError(error)
        } catch {
            throw StoreError(.other, operation: operation, place: place, cause: "\(error)")
        }
    }

    private func storeError(_ error: DatabaseError) -> StoreError {
        let message = error.message ?? "SQLite error"
        let kind = Self.kind(of: error.extendedResultCode, message: message)
        return StoreError(
            kind, operation: operation, place: place,
            cause: "\(message) (SQLite \(error.extendedResultCode.rawValue))", hint: Self.hint(kind, message))
    }

    /// What a result code means to a run; sqlite.org/rescode.html.
    static func kind(of code: ResultCode, message: String) -> StoreError.Kind {
        switch code {
        // What a full disk says in WAL mode instead of SQLITE_FULL.
        case .SQLITE_IOERR_WRITE, .SQLITE_IOERR_TRUNCATE, .SQLITE_IOERR_SHMSIZE, .SQLITE_IOERR_SHMMAP,
            .SQLITE_IOERR_FSYNC:
            return .full
        // A killed writer's transaction is to be rolled back, which the next writer does.
        case .SQLITE_READONLY_ROLLBACK: return .busy
        default: break
        }
        switch code.primaryResultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED: return .busy
        case .SQLITE_FULL: return .full
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: return .damaged
        case .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM: return .inputOutput
        case .SQLITE_INTERRUPT: return .interrupted
        case .SQLITE_SCHEMA: return .schema
        case .SQLITE_ERROR: return isMissingExtension(message) ? .unsupported : .schema
        default: return .other
        }
    }

    /// Apps may define collations, functions and tokenizers of their own, which are not available here.
    private static func isMissingExtension(_ message: String) -> Bool {
        [
            "no such collation", "no such function", "unknown function", "no such module",
            "no such tokenizer", "unknown tokenizer", "unable to open shared library",
            // Of a WITHOUT ROWID table with a key whose collation is missing.
            "no query solution",
        ].contains { message.lowercased().contains($0) }
    }

    private static func hint(_ kind: StoreError.Kind, _ message: String) -> String? {
        switch kind {
        case .damaged:
            "nothing more is deleted there; restore it from a backup, or try .recover of the sqlite3 program"
        case .busy: "the app is writing; the next run tries again"
        case .full: "make room on the file system; the next run goes on"
        case .unsupported: "the store uses an extension of its app's that is not available here"
        case .inputOutput: "look at the permissions of the file and its directory, and at the disk"
        case .other where message.contains("FOREIGN KEY"):
            "another row still points at an expired one; kept_by = \"table.column\" keeps such rows"
        case .logPinned, .missing, .replaced, .schema, .unsafe, .held, .clockDoubted, .interrupted, .other:
            nil
        }
    }
}
