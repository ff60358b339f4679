import CSQLite
import Pruning
import SQLite

/// Turns an error of SQLite into a ``StoreError`` with the operation and the place.
struct SQLiteFailure {
    let operation: String
    let place: String

    /// Runs `body` and translates the errors that it throws.
    func translating<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError {
            throw storeError(error)
        } catch let error as LockWatch.Exceeded {
            throw StoreError(
                .tooSlow, operation: operation, place: place, cause: error.cause,
                hint: "look at the foreign keys and triggers of the table, or raise lock_time in [batch]")
        } catch {
            throw StoreError(
                .other, operation: operation, place: place, cause: "\(error)",
                hint: StoreHint.rolledBack)
        }
    }

    private func storeError(_ error: DatabaseError) -> StoreError {
        let kind = Self.kind(of: error.code, message: error.message)
        if error.code == SQLITE_PERM { return superJournal }
        return StoreError(
            kind, operation: operation, place: place,
            cause: "\(error.message) (SQLite \(error.code))",
            hint: Self.hint(kind, error.message) ?? Self.commonHint(kind))
    }

    /// ``FileLayer`` returns SQLITE_PERM for a file that does not belong to the store. Nothing in SQLite itself returns
    /// it.
    private var superJournal: StoreError {
        StoreError(
            .inputOutput, operation: operation, place: place,
            cause: "its rollback journal names another file, which SQLite would delete after the rollback",
            hint:
                "if its app was killed while it wrote to several databases, start the app, which rolls back;"
                + " if not, check who can write beside the store")
    }

    /// The meaning of a result code for a run; see sqlite.org/rescode.html.
    static func kind(of code: CInt, message: String) -> StoreError.Kind {
        switch code {
        // In WAL mode a full disk causes these codes instead of SQLITE_FULL.
        case Extended.ioErrorWrite, Extended.ioErrorTruncate, Extended.ioErrorMemorySize,
            Extended.ioErrorMemoryMap, Extended.ioErrorSync:
            return .full
        // The transaction of a killed writer has to be rolled back; the next writer does that.
        case Extended.readOnlyRollback: return .busy
        case LogReset.moved: return .replaced
        // No SQLite has such a format: the header is damaged.
        case SQLITE_ERROR where message == "unsupported file format": return .damaged
        default: break
        }
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: return .busy
        case SQLITE_FULL: return .full
        case SQLITE_TOOBIG: return .tooLarge
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged
        case SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: return .inputOutput
        // What could not be read is whole; an archive keeps its leases.
        case SQLITE_NOMEM: return .inputOutput
        // SQLite has waited ten seconds for a lock of the log's index that nobody may hold that long.
        case SQLITE_PROTOCOL: return .inputOutput
        case SQLITE_INTERRUPT: return .interrupted
        case SQLITE_SCHEMA: return .schema
        case SQLITE_ERROR: return isMissingExtension(message) ? .unsupported : .schema
        default: return .other
        }
    }

    /// The extended codes used here. In C they are macros that Swift cannot import.
    private enum Extended {
        static let ioErrorWrite = SQLITE_IOERR | 3 << 8
        static let ioErrorSync = SQLITE_IOERR | 4 << 8
        static let ioErrorTruncate = SQLITE_IOERR | 6 << 8
        static let ioErrorMemorySize = SQLITE_IOERR | 19 << 8
        static let ioErrorMemoryMap = SQLITE_IOERR | 21 << 8
        static let readOnlyRollback = SQLITE_READONLY | 3 << 8
    }

    /// Apps may define their own collations, functions and tokenizers, which are not available here.
    private static func isMissingExtension(_ message: String) -> Bool {
        [
            "no such collation", "no such function", "unknown function", "no such module",
            "no such tokenizer", "unknown tokenizer", "unable to open shared library",
            // Reported for a WITHOUT ROWID table whose key has a missing collation.
            "no query solution",
        ].contains { message.lowercased().contains($0) }
    }

    /// The hint if no more specific one is known.
    private static func commonHint(_ kind: StoreError.Kind) -> String {
        switch kind {
        case .schema: StoreHint.changingTables
        case .interrupted: "the next run goes on"
        default: "sqlite.org/rescode.html explains the number; uncommitted changes were rolled back"
        }
    }

    private static func hint(_ kind: StoreError.Kind, _ message: String) -> String? {
        switch kind {
        case .damaged:
            "nothing more is deleted there; restore it from a backup, or try .recover of the sqlite3 program"
        case .busy: "the app is writing; the next run tries again"
        case .full: "make room on the file system; the next run goes on"
        case .tooLarge:
            "no value may have 1 GB; if a trigger of the app creates one, the app must correct that; a row of nearly as"
                + " much cannot be archived: shorten or delete it in the app, or set archive = false"
        case .unsupported: "the store uses an extension of its app that is not available here"
        case .inputOutput where message.contains("out of memory"):
            "free memory on the machine, or shorten values of hundreds of megabytes; the next run goes on"
        case .inputOutput where message.contains("locking protocol"):
            "its file system refuses locks, or a stopped process has one: keep the file on a local disk; nothing is wrong with it"
        case .inputOutput: "check the permissions of the file and its directory, and the disk"
        case .other where message.contains("FOREIGN KEY"):
            StoreHint.stillReferredTo
        case .other where message.contains("constraint failed"):
            "a table refuses what the rule writes (a tombstone or a mark): look at its constraints; the batch was"
                + " rolled back"
        case .replaced: "the next run opens the new file"
        case .locked, .pinned, .missing, .schema, .unknownSchema, .tooSlow, .unsafe, .archiveFull,
            .leasesUnreadable, .interrupted, .other:
            nil
        }
    }
}
