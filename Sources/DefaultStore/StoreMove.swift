import CProcess
import CSQLite
import Glibc

/// Moves a default store from where older versions had it, the state directory, to ``StateDirectory/shared``: whoever may
/// write beside the store can no longer rename what the service remembers.
package enum StoreMove {
    /// Moves the store of a state directory that only its owner can write to. Nothing is lost wherever this is killed: the
    /// store is always at one of both places.
    ///
    /// Throws ``ReaderStoreError/Kind-swift.enum/busy`` if another process has it open, or may have. A link stays at the
    /// old place.
    package static func perform(in directory: String) throws(ReaderStoreError) {
        let old = StateDirectory.oldStore(in: directory)
        let new = directory + "/" + StateDirectory.shared + "/" + StoreCreation.fileName
        try StoreFile(path: old).check()
        do throws(ReaderStoreError) { try move(old, to: new) } catch {
            makeLog(of: old)
            throw error
        }
    }

    private static func move(_ old: String, to new: String) throws(ReaderStoreError) {
        try empty(old)
        // Whoever opens the file by its old name has the log there: it is moved only while nobody has, and nobody can.
        let file = process_seize_file(old)
        guard file >= 0 else { throw busy(old) }
        defer { close(file) }
        guard isMissing(old + "-journal"), isMissing(old + "-wal") else { throw busy(old) }
        try exchange(old, new)
        // Who is about to open it found the file by its old name. Once the link is there, nobody does any more.
        usleep(longestOpening)
        if process_still_seizes_file(file) == 0 {
            process_exchange_files(old, new)
            unlink(new)
            makeLog(of: old)
            throw busy(old)
        }
        // A killed app may have left it.
        unlink(old + "-shm")
    }

    /// How long an app may take from the look at the name to the call that opens the file, in microseconds.
    private static let longestOpening: UInt32 = 100_000

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

    /// Lets an app of the directory's group use the store where it is: it could not make these files there.
    private static func makeLog(of path: String) {
        for ending in ["-wal", "-shm"] { mknod(path + ending, S_IFREG | 0o660, 0) }
    }

    /// Puts the file at `old` to `new`, and a link to there at `old`, in one step.
    private static func exchange(_ old: String, _ new: String) throws(ReaderStoreError) {
        var status = stat()
        // A killed move left it.
        if lstat(new, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { unlink(new) }
        let target = StateDirectory.shared + "/" + StoreCreation.fileName
        guard symlink(target, new) == 0 else { throw .system("move the store to", path: new, errno: errno) }
        guard process_exchange_files(old, new) == 0 else {
            let code = errno
            unlink(new)
            throw .system("move the store to", path: new, errno: code)
        }
        // Whoever shares the new directory may have put something else in the link's place.
        if lstat(old, &status) != 0 || status.st_mode & S_IFMT != S_IFLNK || status.st_uid != geteuid() {
            unlink(old)
            symlink(target, old)
        }
    }

    private static func isMissing(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == ENOENT }

    private static func busy(_ path: String) -> ReaderStoreError {
        ReaderStoreError(
            kind: .busy, operation: "move the store", path: path,
            cause: "another process has it open, or it belongs to another user, so that this cannot be told",
            hint:
                "it is moved once no app has it open; if it is another user's, give it to the owner of the directory"
        )
    }
}
