import FoundationEssentials
import Glibc
import Pruning
import SQLite

/// The file beside a store that its app locks (fcntl(2)) while it keeps the store to itself.
///
/// Somebody else's lock is only asked for: pruned never takes it, and neither creates nor removes the file. A file that
/// nobody has locked was left by an app that was killed, and means nothing.
final class AppLock {
    private let store: StoreFile
    private let name: String
    private var open: (descriptor: Int32, identity: FileIdentity)?

    init(_ name: String, beside store: StoreFile) {
        (self.name, self.store) = (name, store)
    }

    deinit { close() }

    /// Throws ``StoreErrorKind/busy`` while a process has a lock on the file.
    func check() throws(StoreError) {
        try follow()
        guard let open else { return }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        guard fcntl(open.descriptor, F_GETLK, &lock) == 0 else { throw failure(errno) }
        guard lock.l_type != Int16(F_UNLCK) else { return }
        throw StoreError(
            .busy, operation: Self.operation, place: store.path,
            cause: "its app is using it: \(Self.process(lock.l_pid)) has locked \(name)",
            hint: "the store is pruned when its app is closed")
    }

    private static let operation = "prune the store"

    /// Opens the file, or the one that has replaced it. It stays open, since an app may come at any time.
    private func follow() throws(StoreError) {
        try refuseStoresFiles()
        guard let facts = store.directory.facts(name) else {
            guard errno == ENOENT else { throw failure(errno) }
            return close()
        }
        guard facts.identity != open?.identity else { return }
        close()
        guard facts.isRegular else { throw failure(EPERM) }
        let descriptor = CheckedOpen.open(
            name, in: store.directory.descriptor, O_RDONLY, expecting: facts.identity)
        if descriptor >= 0 {
            open = (descriptor, facts.identity)
        } else if errno != ENOENT, errno != ESTALE {  // else the app has just removed or replaced it
            throw failure(errno)
        }
    }

    /// To close a file that SQLite has open would drop its locks; see ``FileFacts``.
    private func refuseStoresFiles() throws(StoreError) {
        let own = ["", "-wal", "-shm", "-journal", "-pruned-lock"].map { store.name + $0 }
        guard own.contains(name) || name.contains("/") else { return }
        throw StoreError(
            .inputOutput, operation: Self.operation, place: store.path,
            cause: "skip_while_locked = \(name) is not a file of its own beside the store",
            hint: "name the lock file of the app, without a directory")
    }

    private func failure(_ code: Int32) -> StoreError {
        let place = String(store.path.dropLast(store.name.count)) + name
        guard code == EPERM else {
            return .system(code, operation: "ask for the lock of the store's app", place: place)
        }
        return StoreError(
            .inputOutput, operation: "ask for the lock of the store's app", place: place,
            cause: "it is not a regular file with one name",
            hint: "its app did not create it: check who can write there, then remove it")
    }

    private func close() {
        if let open { Glibc.close(open.descriptor) }
        open = nil
    }

    /// The process by its number and, where that is visible, its name.
    private static func process(_ id: pid_t) -> String {
        guard id > 0 else { return "a process" }
        let name = (try? String(contentsOfFile: "/proc/\(id)/comm", encoding: .utf8)) ?? ""
        let visible = name.filter { character in
            character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        }
        return "process \(id)" + (visible.isEmpty ? "" : " (\(visible))")
    }
}
