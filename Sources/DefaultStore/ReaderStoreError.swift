import CSQLite
import Glibc

/// Why something could not be done to a store, or to the directory it stands in.
public struct ReaderStoreError: Error, Equatable, Sendable {
    /// What kind of failure it was, for exit codes and for whether trying again makes sense.
    public enum Kind: Sendable {
        /// Something else than a reading store: a database of another program, a link. It was left as it is.
        case foreign
        /// A reading store of a later version of this library. It was left as it is.
        case newer
        /// Not a database, or a damaged one.
        case damaged
        /// Locked by somebody else for longer than its patience.
        case busy
        /// The system refused: permissions, space, a device.
        case inputOutput
        /// The store is no longer where it was opened: moved, replaced or deleted.
        case moved
        /// A row with this id is there already.
        case exists
        /// There is no row with this id.
        case missing
        /// A value that the store cannot hold, such as a time before the year 2000; or text that is not what it should
        /// be.
        case invalid
        /// A call that cannot be made there: a change in a transaction that reads, a transaction within one of the same
        /// context, anything on a store that was closed.
        case misuse
    }

    /// What kind of failure it was.
    public let kind: Kind
    /// What was being done, as an infinitive: "create the store".
    public let operation: String
    /// The file or directory that it was done to.
    public let path: String
    /// What went wrong, in the words of whatever refused.
    public let cause: String
    /// What to do about it.
    public let hint: String

    package init(kind: Kind, operation: String, path: String, cause: String, hint: String) {
        (self.kind, self.operation, self.path) = (kind, operation, path)
        (self.cause, self.hint) = (cause, hint)
    }

    package static func foreign(path: String) -> Self {
        Self(
            kind: .foreign, operation: "open the store", path: path,
            cause: "the database belongs to another program",
            hint: "move it away, or use another state directory")
    }

    package static func newer(path: String, version: Int32, known: Int32) -> Self {
        Self(
            kind: .newer, operation: "open the store", path: path,
            cause: "its version is \(version), and this program knows version \(known)",
            hint: "update this program")
    }

    /// What `errno` says.
    package static func system(_ operation: String, path: String, errno code: Int32) -> Self {
        let isPermission = [EACCES, EPERM, EROFS].contains(code)
        return Self(
            kind: .inputOutput, operation: operation, path: path, cause: String(cString: strerror(code)),
            hint: isPermission ? permissionHint : "check the path, the free space and the kernel log")
    }

    /// What SQLite says about an operation on the store at `path`.
    package static func database(_ operation: String, path: String, _ failure: SQLiteFailure) -> Self {
        let (kind, hint): (Kind, String) =
            switch failure.code {
            case SQLITE_BUSY, SQLITE_LOCKED:
                (.busy, "another process keeps the store locked; try again when it is done")
            case SQLITE_NOTADB, SQLITE_CORRUPT:
                (.damaged, "move the file away, or restore it from a backup")
            case SQLITE_ERROR:
                (.damaged, "it is not as this program made it; restore it from a backup")
            case SQLITE_CONSTRAINT: (.invalid, "the store holds no such value")
            case SQLITE_FULL: (.inputOutput, "free some space")
            case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY: (.inputOutput, permissionHint)
            default: (.inputOutput, "check the free space and the kernel log")
            }
        return Self(kind: kind, operation: operation, path: path, cause: failure.message, hint: hint)
    }

    private static let permissionHint =
        "run this as the owner, or let a group share the store: directory mode 2770, database mode 0660"
}

extension ReaderStoreError: CustomStringConvertible {
    /// One line: operation, place, cause, hint.
    public var description: String { "cannot \(operation) \(path): \(cause) (\(hint))" }
}
