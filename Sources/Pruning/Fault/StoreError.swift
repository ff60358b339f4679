import FoundationEssentials
import Glibc

/// Why a store did not do what was asked of it: what was tried, where, why it failed and what helps.
package struct StoreError: Error, Equatable, Sendable {
    /// What a caller does about the error depends on its kind alone.
    package enum Kind: Sendable {
        /// Somebody else holds the store; worth another try.
        case busy
        /// A reader keeps what is deleted from being cleared away; worth another try.
        case pinned
        /// The file system has no room; a smaller batch may still fit.
        case full
        /// More than can be handled at once; fewer rows may be.
        case tooLarge
        /// The work under the lock took too long and was undone; fewer rows may take less.
        case tooSlow
        /// The file cannot be opened, read or written.
        case inputOutput
        /// The file is damaged or not a database.
        case damaged
        /// There is no such file, or not yet.
        case missing
        /// The app put another file in the place of the one that is open.
        case replaced
        /// The rule does not fit the store's schema, or what stands in its column.
        case schema
        /// The store needs something that is not available here, such as a collation of the app's.
        case unsupported
        /// A safety check failed; the batch was rolled back.
        case unsafe
        /// The archive may get no larger, and what would go into it stays.
        case archiveFull
        /// Rows that were put back must stay, and which others stay with them cannot be read.
        case leasesUnreadable
        /// A stop was requested while the store was at work, which then ended.
        case interrupted
        /// Anything else.
        case other
    }

    /// See ``Kind-swift.enum``.
    package let kind: Kind
    /// What was tried: "count the expired rows of read_record".
    package let operation: String
    /// Where: the path of the store.
    package let place: String
    /// Why it failed.
    package let cause: String
    /// What a person can do about it.
    package let hint: String?

    /// See the properties.
    package init(_ kind: Kind, operation: String, place: String, cause: String, hint: String? = nil) {
        self.kind = kind
        self.operation = operation
        self.place = place
        self.cause = cause
        self.hint = hint
    }

    /// The error that a system call left in `errno`. Without a `hint` it has what commonly helps.
    package static func system(
        _ code: Int32, operation: String, place: String, hint: String? = nil
    ) -> StoreError {
        StoreError(
            code == ENOSPC || code == EDQUOT ? .full : .inputOutput, operation: operation, place: place,
            cause: String(cString: strerror(code)), hint: hint ?? SystemHint.text(for: code, at: place))
    }

    /// There is no file at the path of a store.
    package static func missingStore(at path: String) -> StoreError {
        StoreError(
            .missing, operation: "open the store", place: path, cause: "there is no such file",
            hint: "its app creates it; if it already has, correct the path")
    }

    /// One line: what, where and why.
    package var reason: String { "cannot \(operation) in \(place): \(cause)" }
}

extension StoreError: CustomStringConvertible {
    /// ``reason``, with the hint where there is one.
    package var description: String { hint.map { "\(reason); \($0)" } ?? reason }
}

/// What a person can do about an error that a system call left in `errno`, where nothing more is known of it.
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
