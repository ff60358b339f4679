import Foundation

/// Replaces a small file so that a reader, or a crash, sees the old content or the new and nothing between.
enum AtomicFile {
    static func replace(_ path: String, with data: Data) throws(StoreError) {
        let temporary = path + ".new"
        // A writer that was killed may have left one, and as another user.
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o660)
        guard file >= 0 else { throw .system(errno, operation: "write", place: temporary) }
        fchmod(file, 0o660)  // whatever the umask of whoever ran it: the group shares the state directory
        errno = ENOSPC  // why a write may be cut short without saying so
        let isWritten = data.withUnsafeBytes { bytes in
            write(file, bytes.baseAddress, bytes.count) == bytes.count && fsync(file) == 0
        }
        let code = errno
        close(file)
        guard isWritten else {
            unlink(temporary)
            throw .system(code, operation: "write", place: temporary)
        }
        guard rename(temporary, path) == 0 else { throw .system(errno, operation: "replace", place: path) }
    }
}
