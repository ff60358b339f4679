import Glibc

/// The database file of a store, as the file system sees it.
///
/// Only SQLite ever opens it: closing a descriptor of it here would drop the locks that SQLite holds on it
/// anywhere in this process.
struct StoreFile {
    let path: String

    /// Makes the empty file when there is none, so that whoever may use the directory may use the file.
    ///
    /// SQLite gives `-wal` and `-shm` the mode and, as root, the owner of the database: they must be right before
    /// anything is written.
    func createIfMissing() throws(ReaderStoreError) {
        let directory = try status(of: path.parentPath)
        let isShared = directory.st_mode & S_ISGID != 0
        // Like open(O_CREAT | O_EXCL), but leaves no descriptor to close.
        if mknod(path, S_IFREG | (isShared ? 0o660 : 0o600), 0) != 0, errno != EEXIST {
            throw .system("create the store", path: path, errno: errno)
        }
        let file = try status(of: path)
        guard file.st_mode & S_IFMT == S_IFREG, file.st_nlink == 1 else {
            throw ReaderStoreError(
                kind: .foreign, operation: "open the store", path: path,
                cause: "it is not a plain file of one name",
                hint: "a link gives the database's journal a second name: use the file itself")
        }
        // A file with content has had its mode since its creation, or somebody chose another.
        guard file.st_size == 0, file.st_uid == geteuid() else { return }
        // The umask has been at the mode. No link is followed: in a shared directory others may put one here.
        if isShared, fchmodat(AT_FDCWD, path, 0o660, AT_SYMLINK_NOFOLLOW) != 0 {
            throw .system("share the store", path: path, errno: errno)
        }
        // What root makes in somebody's directory must be of use to that somebody.
        if geteuid() == 0, directory.st_uid != 0, lchown(path, directory.st_uid, directory.st_gid) != 0 {
            throw .system("give the store to the directory's owner", path: path, errno: errno)
        }
    }

    private func status(of path: String) throws(ReaderStoreError) -> stat {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw .system("look at", path: path, errno: errno)
        }
        return status
    }
}
