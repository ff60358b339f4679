import CSQLite
import Glibc

/// Why an operation on a store or its directory failed.
public struct ReaderStoreError: Error, Equatable, Sendable {
    /// The kind of the failure, for exit statuses and to decide whether a retry makes sense.
    public enum Kind: Sendable {
        /// Not a reading store: a database of another program, or a link. It was not changed.
        case foreign
        /// A reading store of a later version of this library. It was not changed.
        case newer
        /// Not a database, or a damaged one.
        case damaged
        /// Another process had the lock for longer than the patience.
        case busy
        /// The system refused, for example because of permissions or a full disk.
        case inputOutput
        /// The store is no longer where it was opened: it was moved, replaced or deleted.
        case moved
        /// A row with this id already exists.
        case exists
        /// There is no row with this id.
        case missing
        /// A value that the store cannot have, such as a time before the year 2000, or text of the wrong form.
        case invalid
        /// A call that is not allowed there: a change in a read transaction, a transaction within another one of the
        /// same context, or any call on a closed store.
        case misuse
    }

    /// The kind of the failure.
    public let kind: Kind
    /// The operation that failed, as an infinitive: "create the store".
    public let operation: String
    /// The file or directory of the operation.
    public let path: String
    /// The cause, in the words of the system or of SQLite.
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

    /// The error for an `errno`.
    package static func system(_ operation: String, path: String, errno code: Int32) -> Self {
        let isPermission = [EACCES, EPERM, EROFS].contains(code)
        return Self(
            kind: .inputOutput, operation: operation, path: path, cause: String(cString: strerror(code)),
            hint: isPermission ? permissionHint : "check the path, the free space and the kernel log")
    }

    /// Whether this process lacks a right.
    package var isOfPermission: Bool { hint == Self.permissionHint }

    /// The error for SQLite's failure of an operation on the store at `path`.
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
