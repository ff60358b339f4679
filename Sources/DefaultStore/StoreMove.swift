import CProcess
import CSQLite
import Glibc

/// Moves a default store from where older versions had it, the state directory, to ``StateDirectory/shared``: whoever may
/// write beside the store can no longer rename what the service remembers.
package enum StoreMove {
    /// Moves the store of a state directory that only its owner can write to. Nothing is lost wherever this is killed: the
    /// store is always at one of both places.
    ///
    /// Throws ``ReaderStoreError/Kind-swift.enum/busy`` if another process has it open. A link stays at the old place.
    package static func perform(in directory: String) throws(ReaderStoreError) {
        let old = StateDirectory.oldStore(in: directory)
        let new = directory + "/" + StateDirectory.shared + "/" + StoreCreation.fileName
        try StoreFile(path: old).check()
        guard process_has_opened(old) == 0 else { throw busy(old) }
        do {
            // Alone: whoever opened it before would have its log beside the old name.
            let db = try SchemaConnection(path: old, patience: .zero)
            try db.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
            try db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            try exchange(old, new)
        } catch let error as ReaderStoreError {
            throw error
        } catch {
            let failure = error as? SQLiteFailure ?? SQLiteFailure(code: SQLITE_IOERR, message: "\(error)")
            throw .database("move the store", path: old, failure)
        }
        // A killed app may have left it. SQLite removes the empty log itself.
        unlink(old + "-shm")
    }

    /// Puts the file at `old` to `new`, and a link to there at `old`, in one step.
    private static func exchange(_ old: String, _ new: String) throws(ReaderStoreError) {
        let target = StateDirectory.shared + "/" + StoreCreation.fileName
        guard symlink(target, new) == 0 else { throw .system("move the store to", path: new, errno: errno) }
        guard process_exchange_files(old, new) == 0 else {
            let code = errno
            unlink(new)
            throw .system("move the store to", path: new, errno: code)
        }
        // Whoever shares the new directory may have put something else in the link's place.
        var status = stat()
        if lstat(old, &status) != 0 || status.st_mode & S_IFMT != S_IFLNK || status.st_uid != geteuid() {
            unlink(old)
            symlink(target, old)
        }
    }

    private static func busy(_ path: String) -> ReaderStoreError {
        ReaderStoreError(
            kind: .busy, operation: "move the store", path: path, cause: "another process has it open",
            hint: "it is moved at the next start of the service without the app")
    }
}
