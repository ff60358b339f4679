import Glibc

/// Opens a file only after a check that no other process can race. It first opens a descriptor that can only be
/// examined (`O_PATH`), and then opens the file of that descriptor.
///
/// It follows no link, opens no pipe or device, and never waits. It refuses a file with a second name, which may be
/// somebody else's. It closes no descriptor that could drop locks of SQLite (see ``FileFacts``).
package enum CheckedOpen {
    /// Flags for a descriptor that can only be examined, of a file or of a link itself. `O_PATH` is a GNU macro that
    /// Swift cannot import.
    package static let look: Int32 = 0o10_000_000 | O_NOFOLLOW | O_CLOEXEC

    /// Like `openat`, returns a descriptor, or -1 and sets `errno`. `EPERM` means that it is not a regular file with
    /// one name. `ESTALE` means that it is not the file `expected`.
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
            // If another process has a lease on the file, an open without O_NONBLOCK would wait for up to a minute.
            return Glibc.open("/proc/self/fd/\(look)", kept | O_NONBLOCK | O_CLOEXEC)
        }
        errno = EAGAIN
        return -1
    }

    /// Another process may repeatedly remove and create the file.
    private static let mostTries = 8

    private static func refusal(
        of facts: FileFacts, _ flags: Int32, _ expected: FileIdentity?
    ) -> Int32? {
        if flags & O_EXCL != 0 { return EEXIST }
        // SQLite opens directories to sync them.
        if facts.isDirectory { return flags & O_ACCMODE == O_RDONLY ? nil : EISDIR }
        if facts.isLink { return ELOOP }
        guard facts.isRegular, facts.links <= 1 else { return EPERM }
        if let expected, expected != facts.identity { return ESTALE }
        return nil
    }
}
