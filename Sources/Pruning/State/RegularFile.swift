import FoundationEssentials
import Glibc

/// A small file in a directory that others can write to: what stands by its name may be anything.
enum RegularFile {
    /// What is in the file at `path`; nil where there is none, or it is no regular file or too large. A pipe there keeps
    /// nobody waiting, and a link is not followed.
    static func contents(atPath path: String) -> Data? {
        guard isAt(path) else { return nil }
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let file = OpenFile(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_size <= largest
        else { return nil }
        return file.read(upTo: largest)
    }

    /// Whether a regular file with this one name stands at `path`. One that has others may be a store, and to close it would
    /// drop the locks that SQLite has on that in this process (sqlite.org/howtocorrupt.html, section 2.2).
    static func isAt(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1
    }

    /// A thousand rules have a hundredth of it.
    private static let largest = 64 << 20
}

extension String {
    /// Of a file's path: what stands before its last slash.
    var directory: String {
        lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? ""
    }
}
