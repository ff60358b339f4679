import Foundation
import Pruning
import Synchronization

/// One run at a time on a store: an advisory lock on a small file beside it, which says who holds it.
///
/// The kernel drops the lock with the process, however it ends. The file is removed when the run ends; one that a
/// killed run leaves behind is taken over by the next.
final class RunLock: StoreClaim {
    private let path: String
    private let descriptor: Mutex<Int32?>

    private init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = Mutex(descriptor)
    }

    /// Throws ``StoreError/Kind-swift.enum/busy`` with the holder's words when another run has the lock.
    static func acquire(store: String, holder: String) throws(StoreError) -> RunLock {
        let path = store + "-pruned-lock"
        while true {
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o660)
            guard file >= 0 else { throw .system(errno, operation: "lock the store", place: path) }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                let other = firstLine(of: file)
                close(file)
                guard code == EWOULDBLOCK else {
                    throw .system(code, operation: "lock the store", place: path)
                }
                throw StoreError(
                    .busy, operation: "prune the store", place: store,
                    cause: "another run holds it: " + other, hint: "wait for it to end")
            }
            // The previous holder may have removed the file between our open and our lock.
            if isStillAt(path, file) {
                adoptOwner(of: store, file)
                write(holder, to: file)
                return RunLock(path: path, descriptor: file)
            }
            close(file)
        }
    }

    /// What the run that has the lock says of itself; nil when none is seen to have it.
    ///
    /// The lock is not tried: whoever came to run just then would not get it. The kernel's list of locks has one on this
    /// file by the process that the file names, or the file is one that a killed run left behind.
    static func holder(store: String) -> String? {
        let file = open(store + "-pruned-lock", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        let words = firstLine(of: file)
        let isHeld = (0..<looks).contains { _ in isListed(status.st_ino, holder: words) }
        return isHeld ? words : nil
    }

    /// A long list is read in pieces, and others' locks that come or go meanwhile may push one out between two.
    private static let looks = 5

    /// Whether the kernel's list has a lock on the file `inode` by the process that `words` begin with.
    private static func isListed(_ inode: ino_t, holder words: String) -> Bool {
        guard let locks = FileManager.default.contents(atPath: "/proc/locks") else { return false }
        // "1: FLOCK  ADVISORY  WRITE 708 00:13:15363 0 EOF"; proc(5).
        return String(decoding: locks, as: UTF8.self).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ")
            return fields.count >= 6 && fields[1] == "FLOCK" && words.hasPrefix("process \(fields[4]) ")
                && fields[5].hasSuffix(":\(inode)")
        }
    }

    func release() {
        descriptor.withLock { file in
            guard let open = file else { return }
            // Somebody may have removed the file, and another run be holding a new one.
            if Self.isStillAt(path, open) { unlink(path) }
            close(open)
            file = nil
        }
    }

    deinit { release() }

    private static func isStillAt(_ path: String, _ file: Int32) -> Bool {
        var opened = stat()
        guard fstat(file, &opened) == 0, let named = FileFacts(at: path) else { return false }
        return UInt64(opened.st_ino) == named.inode
    }

    /// A lock file that root left behind must not keep the app's user from taking it over.
    private static func adoptOwner(of store: String, _ file: Int32) {
        fchmod(file, 0o660)
        guard geteuid() == 0, let facts = FileFacts(at: store) else { return }
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
