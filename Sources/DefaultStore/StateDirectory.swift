import Glibc

/// Where the service and the app keep the default store.
public enum StateDirectory {
    /// The system's place, for root and for the service's user.
    public static let system = "/var/lib/pruned"
    /// The service's user.
    public static let serviceUser = "pruned"

    /// The state directory: the first of `option` (what `--state-dir` said), `$STATE_DIRECTORY` (the first of
    /// several), ``system`` for root and the service's user, `$XDG_STATE_HOME/pruned`, `~/.local/state/pruned`.
    ///
    /// Empty variables count as unset, and so does a relative `$XDG_STATE_HOME`, as its specification asks. Without
    /// a home it is ``system``.
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

    /// The path that a program means by `path`: that itself, or one below the current directory. As the kernel reads it:
    /// its `..` and links stay, and `~` is a name like others. Throws when the current directory is gone.
    public static func absolute(_ path: String) throws(ReaderStoreError) -> String {
        guard !path.hasPrefix("/") else { return path }
        guard let current = getcwd(nil, 0) else {
            throw .system("find the current directory for", path: path, errno: errno)
        }
        defer { free(current) }
        return below(String(cString: current), path)
    }

    /// Makes the directory, and those above it, when missing: mode 0770 less the umask, with the group and setgid
    /// bit that a setgid directory hands down.
    public static func createIfMissing(at path: String) throws(ReaderStoreError) {
        if mkdir(path, 0o770) == 0 { return }
        var failure = errno
        let parent = path.parentPath
        if failure == ENOENT, !parent.isEmpty, parent != path {
            try createIfMissing(at: parent)
            // Once only: some file systems (/proc) say ENOENT although the parent is there.
            if mkdir(path, 0o770) == 0 { return }
            failure = errno
        }
        // A link to a directory, or one on a read-only file system, is as good.
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
