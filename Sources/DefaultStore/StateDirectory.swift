import Glibc

/// The directory of all that the service remembers. ``shared`` in it is the app's as well, and has the default store.
public enum StateDirectory {
    /// The system's state directory, for root and for the service's user.
    public static let system = "/var/lib/pruned"
    /// The service's user.
    public static let serviceUser = "pruned"
    /// The directory in a state directory that the service shares with the app.
    public static let shared = "shared"

    /// The state directory is the first of these that is set: `option` (from `--state-dir`), `$STATE_DIRECTORY` (its
    /// first path), ``system`` for root and for the service's user, `$XDG_STATE_HOME/pruned`, and
    /// `~/.local/state/pruned`.
    ///
    /// An empty variable counts as unset. So does a relative `$XDG_STATE_HOME`, as its specification requires. Without
    /// a home directory this returns ``system``.
    public static func resolve(
        option: String?, environment: [String: String], isRoot: Bool, userName: String?
    ) -> String {
        if let option { return option }
        if let first = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(first) }
        if isRoot || userName == serviceUser { return system }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return below(state, "pruned") }
        if let home = environment["HOME"], home.hasPrefix("/") { return below(home, ".local/state/pruned") }
        return system
    }

    /// The absolute form of `path`: itself, or below the current directory. As for the kernel, `..` and links stay, and
    /// `~` is an ordinary name. Throws if the current directory no longer exists.
    public static func absolute(_ path: String) throws(ReaderStoreError) -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let current = getcwd(nil, 0) else {
            throw .system("find the current directory for", path: path, errno: errno)
        }
        defer { free(current) }
        return below(String(cString: current), path)
    }

    /// The default store of a state directory: `reader.sqlite` in ``shared``. Older versions had it in the state directory
    /// itself, where it stays until ``StoreMove`` has moved it.
    public static func store(in directory: String) -> String {
        let old = oldStore(in: directory)
        return isFile(old) || isFile(movingStore(in: directory))
            ? old : below(below(directory, shared), StoreCreation.fileName)
    }

    /// Where older versions had the default store. A link leads on from there if it was moved.
    package static func oldStore(in directory: String) -> String { below(directory, StoreCreation.fileName) }

    /// Where it is in the instant of its move.
    static func movingStore(in directory: String) -> String {
        below(directory, "." + StoreCreation.fileName + ".moving")
    }

    /// Whether a path is that of the default store, or was in older versions. It must be absolute.
    package static func isStore(_ path: String, in directory: String) -> Bool {
        [below(shared, StoreCreation.fileName), StoreCreation.fileName].contains {
            path.withoutDots == below(directory, $0).withoutDots
        }
    }

    /// Creates the directory, ``shared`` in it, and its parents, if they are missing. In a setgid directory they inherit its
    /// group and its setgid bit: that group shares ``shared``, and can read the rest.
    public static func createIfMissing(at path: String) throws(ReaderStoreError) {
        try create(path, mode: 0o750)
        let shared = below(path, shared)
        var (status, made) = (stat(), stat())
        guard stat(path, &status) == 0 else { return }
        let isShared = status.st_mode & S_ISGID != 0
        // Only its owner can make it. A store that is still where older versions had it needs none.
        if isFile(oldStore(in: path)), access(path, W_OK) != 0 { return }
        guard !exists(shared), try create(shared, mode: isShared ? 0o770 : 0o700), isShared else { return }
        // Somebody who can write there may have put a link in its place.
        let directory = open(shared, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard directory >= 0 else { return }
        defer { close(directory) }
        guard fstat(directory, &made) == 0, made.st_uid == geteuid() else { return }
        if geteuid() == 0 { fchown(directory, status.st_uid, status.st_gid) }
        // Whatever the umask is. The service cannot set the bit, and inherits all of it.
        fchmod(directory, 0o2770)
    }

    /// Whether it was missing.
    @discardableResult
    private static func create(_ path: String, mode: mode_t) throws(ReaderStoreError) -> Bool {
        if mkdir(path, mode) == 0 { return true }
        var failure = errno
        let parent = path.parentPath
        if failure == ENOENT, !parent.isEmpty, parent != path {
            try create(parent, mode: 0o750)
            // Only once: some file systems (/proc) report ENOENT although the parent exists.
            if mkdir(path, mode) == 0 { return true }
            failure = errno
        }
        // A link to a directory is accepted, and so is a directory on a read-only file system.
        var status = stat()
        let isThere = stat(path, &status) == 0
        guard isThere, status.st_mode & S_IFMT == S_IFDIR else {
            throw .system("create the state directory", path: path, errno: isThere ? ENOTDIR : failure)
        }
        return false
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func below(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}
