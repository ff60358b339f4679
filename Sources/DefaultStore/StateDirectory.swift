import Glibc

/// The directory of the default store, for the service and for the app.
public enum StateDirectory {
    /// The system's state directory, for root and for the service's user.
    public static let system = "/var/lib/pruned"
    /// The service's user.
    public static let serviceUser = "pruned"

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

    /// Creates the directory and its parents if they are missing. Their mode is 0770 less the umask. In a setgid
    /// directory they inherit its group and its setgid bit.
    public static func createIfMissing(at path: String) throws(ReaderStoreError) {
        if mkdir(path, 0o770) == 0 { return }
        var failure = errno
        let parent = path.parentPath
        if failure == ENOENT, !parent.isEmpty, parent != path {
            try createIfMissing(at: parent)
            // Only once: some file systems (/proc) report ENOENT although the parent exists.
            if mkdir(path, 0o770) == 0 { return }
            failure = errno
        }
        // A link to a directory is accepted, and so is a directory on a read-only file system.
        var status = stat()
        let isThere = stat(path, &status) == 0
        guard isThere, status.st_mode & S_IFMT == S_IFDIR else {
            throw .system("create the state directory", path: path, errno: isThere ? ENOTDIR : failure)
        }
    }

    private static func below(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}
