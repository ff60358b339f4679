import FoundationEssentials
import Glibc

/// Replaces a small file atomically: after a crash, and for a reader, the content is the old or the new.
package enum AtomicFile {
    /// Sets `mode` whatever the umask is. What is not durable may be lost when power fails, as a whole.
    package static func replace(
        _ path: String, with data: Data, mode: mode_t, isDurable: Bool = true
    ) throws(StoreError) {
        let temporary = path + ".new"
        // A killed writer may have left one, possibly as another user.
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw .system(errno, operation: "write", place: temporary) }
        fchmod(file, mode)
        errno = ENOSPC  // a short write sets no errno; a full disk is its usual cause
        let isWritten = data.withUnsafeBytes { bytes in
            write(file, bytes.baseAddress, bytes.count) == bytes.count && (!isDurable || fsync(file) == 0)
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
