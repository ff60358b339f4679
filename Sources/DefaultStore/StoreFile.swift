import Glibc

/// The database file of a store in the file system.
///
/// Only SQLite may open it. To close a descriptor of it here would drop all locks that SQLite has on it in this
/// process.
struct StoreFile {
    let path: String

    /// Creates an empty file if there is none. Whoever may use the directory may use the file.
    ///
    /// SQLite gives `-wal` and `-shm` the mode of the database and, as root, its owner. So both must be right before
    /// anything is written.
    func createIfMissing() throws(ReaderStoreError) {
        let directory = try status(of: path.parentPath)
        let isShared = directory.st_mode & S_ISGID != 0
        // Like open(O_CREAT | O_EXCL), but without a descriptor to close.
        if mknod(path, S_IFREG | (isShared ? 0o660 : 0o600), 0) != 0, errno != EEXIST {
            throw .system("create the store", path: path, errno: errno)
        }
        let file = try check()
        // A file with content got its mode when it was created, or somebody chose another.
        guard file.st_size == 0, file.st_uid == geteuid() else { return }
        // The umask may have changed the mode. This follows no link: in a shared directory other users may put one
        // here.
        if isShared, fchmodat(AT_FDCWD, path, 0o660, AT_SYMLINK_NOFOLLOW) != 0 {
            throw .system("share the store", path: path, errno: errno)
        }
        // A file that root creates in another user's directory must be usable by that user.
        if geteuid() == 0, directory.st_uid != 0, lchown(path, directory.st_uid, directory.st_gid) != 0 {
            throw .system("give the store to the directory's owner", path: path, errno: errno)
        }
    }

    /// Throws if it is no file of one name.
    @discardableResult
    func check() throws(ReaderStoreError) -> stat {
        let file = try status(of: path)
        guard file.st_mode & S_IFMT == S_IFREG, file.st_nlink == 1 else {
            throw ReaderStoreError(
                kind: .foreign, operation: "open the store", path: path,
                cause: "it is not a plain file of one name",
                hint: "a link gives the database's journal a second name: use the file itself")
        }
        return file
    }

    private func status(of path: String) throws(ReaderStoreError) -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw .system("look at", path: path, errno: errno)
        }
        return status
    }
}
