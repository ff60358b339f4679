import Foundation

/// What can be seen of files that nobody may touch.
struct Victims: Equatable, CustomStringConvertible {
    private struct File: Equatable {
        let mode: mode_t
        let owner: uid_t
        let group: gid_t
        let modified: Int
        let read: Int
        let content: Data?
    }

    private let files: [String: File]

    /// Looks at all files below `directory`.
    init(in directory: String) throws {
        var files: [String: File] = [:]
        var paths = [directory]
        while let path = paths.popLast() {
            var facts = stat()
            guard lstat(path, &facts) == 0 else { throw POSIXError(.ENOENT) }
            let isDirectory = facts.st_mode & S_IFMT == S_IFDIR
            files[path] = File(
                mode: facts.st_mode, owner: facts.st_uid, group: facts.st_gid,
                modified: facts.st_mtim.tv_sec * 1_000_000_000 + facts.st_mtim.tv_nsec,
                read: isDirectory ? 0 : facts.st_atim.tv_sec * 1_000_000_000 + facts.st_atim.tv_nsec,
                content: isDirectory ? nil : FileManager.default.contents(atPath: path))
            if isDirectory {
                paths += try FileManager.default.contentsOfDirectory(atPath: path).map { path + "/" + $0 }
                continue
            }
            // The next reader is seen: a time of reading before that of writing is always renewed.
            var times = [timespec(tv_sec: 0, tv_nsec: 0), facts.st_mtim]
            utimensat(AT_FDCWD, path, &times, AT_SYMLINK_NOFOLLOW)
        }
        self.files = files
    }

    /// What differs from these files in what they were.
    func changes(since before: Victims) -> [String] {
        Set(files.keys).union(before.files.keys).sorted().compactMap { path in
            guard let new = files[path] else { return "\(path) is gone" }
            guard let old = before.files[path] else { return "\(path) is new" }
            if new.content != old.content || new.modified != old.modified { return "\(path) was written" }
            if (new.mode, new.owner, new.group) != (old.mode, old.owner, old.group) {
                return "\(path) has mode \(String(new.mode, radix: 8)) of \(new.owner):\(new.group)"
            }
            return new.read == 0 ? nil : "\(path) was read"
        }
    }

    var description: String { files.keys.sorted().joined(separator: ", ") }
}
