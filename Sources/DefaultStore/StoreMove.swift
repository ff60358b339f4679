import CProcess
import CSQLite
import Glibc

/// Moves a default store from where older versions had it, the state directory, to ``StateDirectory/shared``: whoever may
/// write beside the store can no longer rename what the service remembers.
package enum StoreMove {
    /// Moves the store of a state directory that only its owner can write to. Nothing is lost wherever this is killed: the
    /// next call goes on.
    ///
    /// Throws ``ReaderStoreError/Kind-swift.enum/busy`` if another process has it open, or may have. A link stays at the
    /// old place.
    package static func perform(in directory: String) throws(ReaderStoreError) {
        let old = StateDirectory.oldStore(in: directory)
        let new = directory + "/" + StateDirectory.shared + "/" + StoreCreation.fileName
        let between = StateDirectory.movingStore(in: directory)
        if isMissing(between) {
            try StoreFile(path: old).check()
            try move(old, to: new, over: between)
        } else {
            // A killed move left it there.
            guard isMissing(old) else {
                throw .system("move the store from \(between) to", path: old, errno: EEXIST)
            }
            try settle(between, at: new, linkedFrom: old)
        }
        // Made for apps, or left by a killed one.
        for ending in logEndings { unlink(old + ending) }
    }

    /// Whoever opens the file has its log beside the name that they opened. So it gets a name that no app knows first, and
    /// comes back if somebody had begun to open it by then: they wait meanwhile.
    private static func move(
        _ old: String, to new: String, over between: String
    ) throws(ReaderStoreError) {
        try empty(old)
        makeLog(of: old)
        let file = process_seize_file(old)
        guard file >= 0 else { throw busy(old) }
        defer { close(file) }
        guard isMissing(old + "-journal"), isEmpty(old + "-wal") else { throw busy(old) }
        guard isMissing(new) || isLink(new) else {
            throw .system("move the store to", path: new, errno: EEXIST)
        }
        // No app makes another store where a link is.
        unlink(new)
        guard symlink(target, new) == 0, rename(old, between) == 0 else {
            throw .system("move the store to", path: new, errno: errno)
        }
        guard process_still_seizes_file(file) != 0 else {
            rename(between, old)
            unlink(new)
            throw busy(old)
        }
        try settle(between, at: new, linkedFrom: old)
    }

    private static func settle(
        _ between: String, at new: String, linkedFrom old: String
    ) throws(ReaderStoreError) {
        guard rename(between, new) == 0 else {
            let code = errno
            if isMissing(old) { rename(between, old) }
            throw .system("move the store to", path: new, errno: code)
        }
        // An app that saw no store in this instant may have begun to make one, where its owner can.
        if symlink(target, old) != 0, isEmpty(old) {
            unlink(old)
            symlink(target, old)
        }
    }

    private static let target = StateDirectory.shared + "/" + StoreCreation.fileName

    /// Writes the log into the file, which takes as long as it is large, and removes it.
    private static func empty(_ path: String) throws(ReaderStoreError) {
        do throws(SQLiteFailure) {
            let db = try SchemaConnection(path: path, patience: .zero)
            try db.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
            try db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        } catch {
            guard error.code != SQLITE_BUSY else { throw busy(path) }
            throw .database("move the store", path: path, error)
        }
    }

    private static let logEndings = ["-wal", "-shm"]

    /// Lets an app of the store's group use it where it is, if it stays: it could not make these files there.
    private static func makeLog(of path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & 0o060 == 0o060 else { return }
        for ending in logEndings { mknod(path + ending, status.st_mode, 0) }
    }

    private static func isEmpty(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_size == 0 : errno == ENOENT
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func isMissing(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) != 0 && errno == ENOENT
    }

    private static func busy(_ path: String) -> ReaderStoreError {
        ReaderStoreError(
            kind: .busy, operation: "move the store", path: path,
            cause: "another process has it open, or it belongs to another user, so that this cannot be told",
            hint:
                "it is moved once no app has it open; if it is another user's, give it to the owner of the directory"
        )
    }
}
