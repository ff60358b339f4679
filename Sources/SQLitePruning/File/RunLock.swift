import Glibc
import Pruning
import SQLite
import Synchronization

/// Allows one run at a time on a store: an advisory lock on a small file beside the store, which names the holder.
///
/// The kernel drops the lock when the process ends, however that happens. The file is removed at the end of the run. If
/// a killed run leaves it behind, the next run takes it over.
final class RunLock: StoreClaim {
    private let directory: StoreDirectory
    private let name: String
    private let descriptor: Mutex<Int32?>

    private init(_ directory: StoreDirectory, _ name: String, descriptor: Int32) {
        self.directory = directory
        self.name = name
        self.descriptor = Mutex(descriptor)
    }

    private static func name(beside store: StoreFile) -> String { store.name + "-pruned-lock" }

    /// Throws ``StoreErrorKind/busy`` with the holder's text if another run has the lock.
    static func acquire(beside store: StoreFile, holder: String) throws(StoreError) -> RunLock {
        let (directory, name) = (store.directory, name(beside: store))
        while true {
            let file = CheckedOpen.open(name, in: directory.descriptor, O_RDWR | O_CREAT, 0o660)
            guard file >= 0 else { throw refused(errno, store) }
            guard OpenFileLock.exclusive.take(file) else {
                let code = errno
                let other = firstLine(of: file)
                close(file)
                guard code == EAGAIN || code == EACCES else { throw refused(code, store) }
                throw StoreError(
                    .busy, operation: "prune the store", place: store.path,
                    cause: "another run uses it: " + other, hint: "wait for it to end")
            }
            // The previous holder may have removed the file between our open and our lock.
            if isStill(name, in: directory, file) {
                adoptOwner(of: store, file)
                write(holder, to: file)
                return RunLock(directory, name, descriptor: file)
            }
            close(file)
        }
    }

    private static func refused(_ code: Int32, _ store: StoreFile) -> StoreError {
        let path = store.path + "-pruned-lock"
        guard code == EPERM, store.directory.facts(name(beside: store)) != nil else {
            return .system(code, operation: "lock the store", place: path)
        }
        return StoreError(
            .inputOutput, operation: "lock the store", place: path,
            cause: "it is not a regular file with one name",
            hint: "pruned did not create this file: check who can write there, then remove it")
    }

    /// The text of the run that has the lock; nil if no run is seen to have it.
    ///
    /// This only queries the lock. To take it for a moment would refuse a run that starts just then.
    static func holder(beside store: StoreFile) -> String? {
        let file = CheckedOpen.open(name(beside: store), in: store.directory.descriptor, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return OpenFileLock.exclusive.isBarred(file) == true ? firstLine(of: file) : nil
    }

    func release() {
        descriptor.withLock { file in
            guard let open = file else { return }
            // Somebody may have removed the file, and another run may have locked a new one.
            if Self.isStill(name, in: directory, open) { unlinkat(directory.descriptor, name, 0) }
            close(open)
            file = nil
        }
    }

    deinit { release() }

    private static func isStill(_ name: String, in directory: StoreDirectory, _ file: Int32) -> Bool {
        guard let opened = FileFacts(of: file) else { return false }
        return directory.facts(name)?.identity == opened.identity
    }

    /// The app's user must be able to take over a lock file that root left behind.
    private static func adoptOwner(of store: StoreFile, _ file: Int32) {
        fchmod(file, 0o660)
        guard geteuid() == 0, let facts = store.directory.facts(store.name) else { return }
        fchown(file, facts.owner, facts.group)
    }

    private static func write(_ holder: String, to file: Int32) {
        ftruncate(file, 0)
        let line = Array((holder + "\n").utf8)
        pwrite(file, line, line.count, 0)
    }

    private static func firstLine(of file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 200)
        let count = pread(file, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        return line.isEmpty
            ? "it has just begun"
            : line.filter { character in
                character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
            }
    }
}
