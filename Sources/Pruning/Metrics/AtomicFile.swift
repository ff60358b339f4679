import FoundationEssentials
import Glibc

/// Replaces a small file so that a reader, or a crash, sees the old content or the new and nothing between.
enum AtomicFile {
    /// `mode`: who may use it, whatever the umask; by default the group, which shares the state directory.
    static func replace(_ path: String, with data: Data, mode: mode_t = 0o660) throws(StoreError) {
        let temporary = path + ".new"
        // A writer that was killed may have left one, and as another user.
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw .system(errno, operation: "write", place: temporary) }
        fchmod(file, mode)
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
