import Glibc

/// An error of a store.
package typealias StoreError = Explained<StoreErrorKind>

package enum StoreErrorKind: String, Codable, Sendable {
    /// Another process or connection has the store locked; worth another try.
    case busy
    /// Others have rows of a table locked, which stay; the other rows were deleted.
    case locked
    /// A reader still needs deleted pages, so they cannot be released; worth another try.
    case pinned
    /// The file system has no room; a smaller batch may still fit.
    case full
    /// More data than can be handled at once; fewer rows may fit.
    case tooLarge
    /// The work under the lock took too long and was rolled back; fewer rows may take less time.
    case tooSlow
    /// The file cannot be opened, read or written.
    case inputOutput
    /// The file is damaged or not a database.
    case damaged
    /// There is no such file, perhaps because the app has not created it yet.
    case missing
    /// The app replaced the file that is open.
    case replaced
    /// The rule does not fit the store's schema, or the values in its column.
    case schema
    /// The store's schema is none that its definition knows. The app may have a new way to say which rows matter.
    case unknownSchema
    /// The store needs something that is not available here, such as a collation of the app.
    case unsupported
    /// A safety check failed; the batch was rolled back.
    case unsafe
    /// The archive has reached its limit; rows that would go into it stay in their store.
    case archiveFull
    /// The leases of restored rows cannot be read, so it is not known which rows must stay.
    case leasesUnreadable
    /// The store's work was interrupted because a stop was requested.
    case interrupted
    /// Anything else.
    case other
}

extension StoreError {
    /// The error for the `errno` of a failed system call. Without `hint` it has the usual hint for that code.
    package static func system(
        _ code: Int32, operation: String, place: String, hint: String? = nil
    ) -> StoreError {
        StoreError(
            code == ENOSPC || code == EDQUOT ? .full : .inputOutput, operation: operation, place: place,
            cause: String(cString: strerror(code)), hint: hint ?? SystemHint.text(for: code, at: place))
    }

    /// The error for a store whose file does not exist.
    package static func missingStore(at path: String) -> StoreError {
        StoreError(
            .missing, operation: "open the store", place: path, cause: "there is no such file",
            hint: "its app creates it; if it already has, correct the path")
    }
}

/// The usual hint for the `errno` of a failed system call, when nothing more specific is known.
enum SystemHint {
    static func text(for code: Int32, at place: String) -> String {
        switch code {
        case EACCES, EPERM: AccessHint.text(for: place)
        case ENOSPC, EDQUOT: "make room on the file system; the next run goes on"
        case EROFS:
            "the file system is read-only; in the service's sandbox, ReadWritePaths= opens a directory"
        case ENOENT: "check the path, and that the directory exists"
        case EISDIR: "it is a directory: move it away"
        case ENOTDIR: "a part of the path is not a directory: move that away"
        case ELOOP: "it is a symbolic link: move it away, or replace it with the file"
        case EAGAIN: "another process has locked it; try again later"
        default: "check the path, its file system, and the kernel log (dmesg)"
        }
    }
}
