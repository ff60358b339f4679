import CSQLite
import Pruning
import SQLite

/// The meaning of result codes for the ledger; see sqlite.org/rescode.html.
enum SQLiteCode {
    /// The header of a damaged file may name a format that no SQLite has.
    static func isOfDamage(_ error: DatabaseError) -> Bool {
        [SQLITE_CORRUPT, SQLITE_NOTADB].contains(error.code & 0xFF)
            || error.message == "unsupported file format"
    }

    static let readOnly = SQLITE_READONLY
    static let cannotOpen = SQLITE_CANTOPEN

    static func isOfConstraint(_ code: CInt) -> Bool { code & 0xFF == SQLITE_CONSTRAINT }

    static func kind(of code: CInt) -> StoreError.Kind {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_FULL: .full
        case SQLITE_IOERR, SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: .inputOutput
        default: .other
        }
    }

    static func hint(for code: CInt) -> String {
        switch kind(of: code) {
        case .busy: "another process has it locked; try again when that is done"
        case .full: "make room on the file system; the next run goes on"
        default: "look at the permissions of the file and its directory, and at the disk"
        }
    }
}
