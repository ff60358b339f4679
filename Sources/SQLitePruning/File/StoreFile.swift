import Foundation
import Pruning

/// A database file before SQLite opens it: whether that is safe for us and for the app.
struct StoreFile {
    let path: String

    private var directory: String { (path as NSString).deletingLastPathComponent }

    /// Throws when the file cannot be read, or is not the one file that its path names.
    func checkReadable() throws(StoreError) {
        let facts = try regularFile()
        guard facts.links == 1 else {
            throw refusal(
                "the file has \(facts.links) names",
                "SQLite finds the write-ahead log by name; remove the other hard links")
        }
        guard access(path, R_OK) == 0 else {
            throw unreadable(
                .system(errno, operation: "read the store", place: path), "the file cannot be read")
        }
    }

    /// Throws when the file cannot be written, or when writing it could lock its app out.
    func checkWritable() throws(StoreError) {
        try checkReadable()
        let facts = try regularFile()
        try checkWritable(path, what: "the file", facts)
        guard let parent = FileFacts(at: directory + "/.") else {
            throw .system(errno, operation: "open the directory of the store", place: directory)
        }
        try checkWritable(directory, what: "its directory", parent)
        for companion in ["-wal", "-shm", "-journal"] {
            try checkWritable(companion: companion)
        }
        try Sharing(
            file: facts, directory: parent, user: geteuid(), path: path
        ).check()
    }

    /// SQLite gives a file the mode of the database only after it has created it: where another program is just there, an
    /// empty one that cannot be written is no reason to give up.
    private func checkWritable(companion: String) throws(StoreError) {
        guard let facts = FileFacts(at: path + companion) else { return }
        do throws(StoreError) {
            try checkWritable(path + companion, what: "its \(companion) file", facts)
        } catch {
            guard let facts = FileFacts(at: path + companion) else { return }  // gone meanwhile
            guard facts.size == 0 else { throw error }
            throw StoreError(
                .busy, operation: error.operation, place: error.place, cause: error.cause, hint: error.hint)
        }
    }

    private func regularFile() throws(StoreError) -> FileFacts {
        guard let facts = FileFacts(at: path) else {
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

    private func checkWritable(_ path: String, what: String, _ facts: FileFacts) throws(StoreError) {
        guard !facts.isWriteProtected else {
            throw refusal("\(what) is write-protected", "chmod u+w it if it is to be pruned")
        }
        guard access(path, W_OK) == 0 else {
            let cause = String(cString: strerror(errno))
            throw refusal(
                "\(what) cannot be written (\(cause))",
                "run as its owner, or let user id \(geteuid()) write it and widen ReadWritePaths= in the unit"
            )
        }
    }

    /// Says `what` it is that the system refused: a plan shows the cause alone.
    private func unreadable(_ error: StoreError, _ what: String) -> StoreError {
        StoreError(
            error.kind, operation: error.operation, place: path, cause: "\(what) (\(error.cause))",
            hint: error.hint)
    }

    private func refusal(_ cause: String, _ hint: String?) -> StoreError {
        StoreError(.inputOutput, operation: "open the store", place: path, cause: cause, hint: hint)
    }
}
