import Glibc
import Pruning
import SQLite
import TerminalText

/// A database file before SQLite opens it, with the checks that opening it is safe for pruned and for the app.
struct StoreFile {
    /// The path in the policy.
    let path: String
    /// Stays open, so that SQLite opens the file that was checked.
    let directory: StoreDirectory
    let name: String

    /// The file at `path`, which must be absolute. The file need not exist.
    init(path: String) throws(StoreError) {
        self.path = path
        let end = path.lastIndex(of: "/") ?? path.startIndex
        name = String(path[end...].dropFirst())
        guard !name.isEmpty, name != ".", name != ".." else {
            throw StoreError(
                .inputOutput, operation: "open the store", place: path, cause: "it is not a regular file",
                hint: "name a database file")
        }
        let parent = String(path[..<end]) + "/"
        do throws(PathRefusal) { directory = try StoreDirectory.open(parent) } catch {
            throw StoreError(error, onTheWayTo: parent)
        }
    }

    /// The path to pass to SQLite.
    var pathForSQLite: String { directory.path(of: name) }

    /// The files that SQLite creates beside it.
    private static let companions = ["-wal", "-shm", "-journal"]

    /// Throws if the file cannot be read, or has other names, or is a mount point. After this check SQLite cannot open
    /// another file in its place.
    @discardableResult
    func checkReadable() throws(StoreError) -> FileFacts {
        let facts = try regularFile()
        guard facts.links == 1 else {
            throw refusal(
                "the file has \(facts.links) names",
                "SQLite finds the write-ahead log by name; remove the other hard links")
        }
        try refuseMounted()
        for companion in Self.companions { try check(companion: companion) }
        guard faccessat(directory.descriptor, name, R_OK, 0) == 0 else {
            throw unreadable(
                .system(errno, operation: "read the store", place: path), "the file cannot be read")
        }
        directory.expect(name, facts.identity)
        return facts
    }

    /// Throws if the file cannot be written, or if writing it could lock its app out.
    @discardableResult
    func checkWritable() throws(StoreError) -> FileFacts {
        let facts = try checkReadable()
        try checkWritable(name, what: "the file", facts)
        guard let parent = FileFacts(of: directory.descriptor) else {
            throw .system(errno, operation: "open the directory of the store", place: path)
        }
        try checkWritable(".", what: "its directory", parent)
        for companion in Self.companions {
            try checkWritable(companion: companion)
        }
        if let refusal = sharingRefusal(facts) { throw refusal }
        return facts
    }

    /// Prevents SQLite from creating files beside the store that would lock its owner out, as it does even to read a
    /// file in WAL mode. Returns the reason if it does.
    func protectOwner(_ facts: FileFacts) -> StoreError? {
        let refusal = sharingRefusal(facts)
        directory.allowCreation(refusal == nil, beside: name)
        return refusal
    }

    private func sharingRefusal(_ facts: FileFacts) -> StoreError? {
        guard let parent = FileFacts(of: directory.descriptor) else {
            return .system(errno, operation: "open the directory of the store", place: path)
        }
        do throws(StoreError) {
            try Sharing(file: facts, directory: parent, user: geteuid(), path: path).check()
            return nil
        } catch {
            return error
        }
    }

    /// SQLite may open each of these files even to read. One that is a link, a mount or no regular file could be
    /// anybody's.
    private func check(companion: String) throws(StoreError) {
        guard let facts = directory.facts(name + companion) else { return }
        let isMounted = MountedFile.isMounted(name + companion, in: directory.descriptor)
        guard facts.isRegular, facts.links <= 1, !isMounted else {
            throw refusal(
                facts.isRegular
                    ? "its \(companion) file has another name or is a mount, too"
                    : "its \(companion) file is not a regular file",
                "SQLite did not create this file: check who can write there, then remove it while the app is stopped"
            )
        }
    }

    private func refuseMounted() throws(StoreError) {
        guard MountedFile.isMounted(name, in: directory.descriptor) else { return }
        let source = MountedFile.source(of: name, in: directory.descriptor)
        throw refusal(
            "the file is a mount point, so its app's log and locks are beside another name",
            "mount the directory that it is in\(source.map { " (\($0) of its file system)" } ?? "") instead of the"
                + " file, here and for its app")
    }

    /// SQLite sets the mode of a new file only after it has created it. If another program is doing that just now, the
    /// file is empty and not writable. That is only a reason to try again.
    private func checkWritable(companion: String) throws(StoreError) {
        guard let facts = directory.facts(name + companion) else { return }
        do throws(StoreError) {
            try checkWritable(name + companion, what: "its \(companion) file", facts)
        } catch {
            guard let facts = directory.facts(name + companion) else { return }  // removed meanwhile
            guard facts.size == 0 else { throw error }
            throw StoreError(
                .busy, operation: error.operation, place: error.place, cause: error.cause, hint: error.hint)
        }
    }

    private func regularFile() throws(StoreError) -> FileFacts {
        guard let facts = directory.facts(name) else {
            let code = errno
            guard code == EACCES else {
                throw .system(
                    code, operation: "open the store", place: path,
                    hint: "the app creates it; until then there is nothing to prune")
            }
            throw unreadable(
                .system(code, operation: "open the store", place: path), "its directory cannot be entered")
        }
        guard !facts.isLink else {
            throw refusal("the path is a symbolic link", "name the file itself")
        }
        guard facts.isRegular else { throw refusal("it is not a regular file", "name a database file") }
        return facts
    }

    private func checkWritable(_ name: String, what: String, _ facts: FileFacts) throws(StoreError) {
        guard !facts.isWriteProtected else {
            throw refusal("\(what) is write-protected", "chmod u+w it if it is to be pruned")
        }
        guard faccessat(directory.descriptor, name, W_OK, 0) == 0 else {
            let code = errno
            // It was removed meanwhile. If it is the store, opening it will tell.
            guard code != ENOENT else { return }
            throw refusal(
                "\(what) cannot be written (\(String(cString: strerror(code))))",
                WriteHint(
                    path: path, directory: directory, name: name, facts: facts, groups: AccessHint.memberships
                ).text(for: code))
        }
    }

    /// Adds `what` the system refused to the cause, because a plan shows only the cause.
    private func unreadable(_ error: StoreError, _ what: String) -> StoreError {
        StoreError(
            error.kind, operation: error.operation, place: path, cause: "\(what) (\(error.cause))",
            hint: error.hint)
    }

    private func refusal(_ cause: String, _ hint: String?) -> StoreError {
        StoreError(.inputOutput, operation: "open the store", place: path, cause: cause, hint: hint)
    }
}

/// The rollback journal of a store. Between two transactions its app may leave it empty or with a header of zeros
/// (`PRAGMA journal_mode = TRUNCATE` or `PERSIST`).
enum JournalFile {
    /// Whether the journal contains a transaction. True if that cannot be determined.
    static func isInUse(of store: StoreFile) -> Bool {
        let name = store.name + "-journal"
        guard let facts = store.directory.facts(name) else { return false }
        guard facts.size > 0 else { return false }
        let file = CheckedOpen.open(
            name, in: store.directory.descriptor, O_RDONLY, expecting: facts.identity)
        guard file >= 0 else { return true }
        defer { close(file) }
        var first: UInt8 = 1
        return read(file, &first, 1) != 1 || first != 0
    }
}
