import Foundation
import GRDB

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
        /// Locked by somebody else for longer than ``ReaderStore/patience``.
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

    static func foreign(path: String) -> Self {
        Self(
            kind: .foreign, operation: "open the store", path: path,
            cause: "the database belongs to another program",
            hint: "move it away, or use another state directory")
    }

    static func newer(path: String, version: Int32, known: Int32) -> Self {
        Self(
            kind: .newer, operation: "open the store", path: path,
            cause: "its version is \(version), and this program knows version \(known)",
            hint: "update this program")
    }

    /// A loader says that nothing has changed to whom nothing was said to be cached.
    static func notLoaded(tab: Int64, path: String) -> Self {
        Self(
            kind: .invalid, operation: "cache the feed of tab \(tab) in", path: path,
            cause: "its source says that it has not changed, and nothing of it is cached",
            hint: "look at what it serves")
    }

    /// A value that the store does not take.
    static func invalid(_ operation: String, path: String, cause: String) -> Self {
        Self(
            kind: .invalid, operation: operation, path: path, cause: cause,
            hint: "the store holds no such value")
    }

    /// A call that cannot be made there.
    static func misuse(_ operation: String, path: String, cause: String, hint: String) -> Self {
        Self(kind: .misuse, operation: operation, path: path, cause: cause, hint: hint)
    }

    /// A call on a store that was closed.
    static func closed(_ operation: String, path: String) -> Self {
        .misuse(operation, path: path, cause: "the store was closed", hint: "open it again")
    }

    /// The system would end it at its NUL, and open another.
    static func noPath(_ path: String) -> Self {
        Self(
            kind: .inputOutput, operation: "open the store", path: path.visible,
            cause: "there is a NUL in the path",
            hint: "no file has such a name")
    }

    /// Another file stands where the open one stood, or none does.
    static func moved(_ operation: String, path: String) -> Self {
        Self(
            kind: .moved, operation: operation, path: path,
            cause: "the store was moved, replaced or deleted while it was open", hint: "open it again")
    }

    /// What `errno` says.
    static func system(_ operation: String, path: String, errno code: Int32) -> Self {
        let isPermission = [EACCES, EPERM, EROFS].contains(code)
        return Self(
            kind: .inputOutput, operation: operation, path: path, cause: String(cString: strerror(code)),
            hint: isPermission ? permissionHint : "check the path, the free space and the kernel log")
    }

    /// What SQLite says about an operation on the store at `path`.
    public static func database(_ operation: String, path: String, _ error: any Error) -> Self {
        guard let error = error as? DatabaseError else {
            return Self(
                kind: .inputOutput, operation: operation, path: path, cause: "\(error)",
                hint: "check the path, the free space and the kernel log")
        }
        let (kind, hint): (Kind, String) =
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                (.busy, "another process keeps the store locked; try again when it is done")
            case .SQLITE_NOTADB, .SQLITE_CORRUPT:
                (.damaged, "move the file away, or restore it from a backup")
            case .SQLITE_ERROR:
                (.damaged, "it is not as this program made it; restore it from a backup")
            case .SQLITE_CONSTRAINT: (.invalid, "the store holds no such value")
            case .SQLITE_FULL: (.inputOutput, "free some space")
            case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY: (.inputOutput, permissionHint)
            default: (.inputOutput, "check the free space and the kernel log")
            }
        return Self(
            kind: kind, operation: operation, path: path,
            cause: error.message ?? error.resultCode.description, hint: hint)
    }

    private static let permissionHint =
        "run this as the owner, or let a group share the store: directory mode 2770, database mode 0660"
}

extension ReaderStoreError: CustomStringConvertible {
    /// One line: operation, place, cause, hint.
    public var description: String { "cannot \(operation) \(path): \(cause) (\(hint))" }
}
