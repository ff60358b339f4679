import FoundationEssentials
import Glibc

/// Opens a file only after a look at it that nobody can outrun: a descriptor for looking alone (`O_PATH`) is opened first, and
/// then what that is of.
///
/// So no link is followed, no pipe or device is opened, and no open waits. A file that has a second name is refused,
/// for it may be somebody else's; and nothing is closed that SQLite may have locks on (see ``FileFacts``).
package enum CheckedOpen {
    /// How to open a file, or a link itself, for looking alone: `O_PATH`, a macro of GNU's that does not come to Swift.
    package static let look: Int32 = 0o10_000_000 | O_NOFOLLOW | O_CLOEXEC

    /// As `openat` does: a descriptor, or -1 and `errno`. `EPERM`: it is no file with one name. `ESTALE`: it is another one
    /// than `expected`.
    package static func open(
        _ name: String, in directory: Int32, _ flags: Int32, _ mode: mode_t = 0,
        expecting expected: FileIdentity? = nil
    ) -> Int32 {
        for _ in 0..<mostTries {
            let look = openat(directory, name, CheckedOpen.look)
            guard look >= 0 else {
                guard errno == ENOENT, flags & O_CREAT != 0, expected == nil else { return -1 }
                let made = openat(directory, name, flags | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
                if made >= 0 || errno != EEXIST { return made }
                continue
            }
            defer {
                let code = errno
                close(look)
                errno = code
            }
            guard let facts = FileFacts(of: look) else { return -1 }
            if let refusal = refusal(of: facts, flags, expected) {
                errno = refusal
                return -1
            }
            let kept = flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW)
            // Somebody may have a lease on the file: who waited for its end would wait for a minute.
            return Glibc.open("/proc/self/fd/\(look)", kept | O_NONBLOCK | O_CLOEXEC)
        }
        errno = EAGAIN
        return -1
    }

    /// Somebody may remove and make the file in turn.
    private static let mostTries = 8

    private static func refusal(
        of facts: FileFacts, _ flags: Int32, _ expected: FileIdentity?
    ) -> Int32? {
        if flags & O_EXCL != 0 { return EEXIST }
        // SQLite opens directories to send them to the disk.
        if facts.isDirectory { return flags & O_ACCMODE == O_RDONLY ? nil : EISDIR }
        if facts.isLink { return ELOOP }
        guard facts.isRegular, facts.links <= 1 else { return EPERM }
        if let expected, expected != facts.identity { return ESTALE }
        return nil
    }
}
