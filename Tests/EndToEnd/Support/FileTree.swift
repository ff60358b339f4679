import Foundation

/// Everything below a directory as `lstat` says it: what must not change when nothing may be written.
struct FileTree: Equatable, CustomStringConvertible {
    struct Entry: Equatable {
        let mode: mode_t
        let owner: uid_t
        let group: gid_t
        let size: Int
        let inode: ino_t
        let modified: [Int]
    }

    let entries: [String: Entry]

    init(_ directory: String) {
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        var entries: [String: Entry] = [:]
        for name in names + ["."] { entries[name] = Entry(directory + "/" + name) }
        self.entries = entries
    }

    /// All but this file, and its directory, which changes with it.
    func besides(_ file: String) -> [String: Entry] {
        let directory = (file as NSString).deletingLastPathComponent
        return entries.filter { $0.key != file && $0.key != directory }
    }

    /// The names in it.
    var names: [String] { entries.keys.filter { $0 != "." }.sorted() }

    var description: String {
        entries.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
    }
}

extension FileTree.Entry {
    /// Nil when there is no such file.
    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(
            mode: status.st_mode, owner: status.st_uid, group: status.st_gid, size: Int(status.st_size),
            inode: status.st_ino, modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec])
    }

    /// The permission bits, setgid and its like included.
    var permissions: mode_t { mode & 0o7777 }
}
