import Glibc

/// A directory of files that lie over the main one, so that a package or a tool can change a key without editing that.
struct DropInDirectory {
    /// What it is called, beside the main file.
    static let name = "conf.d"

    let path: String

    /// Whether `path` is such a directory, or stands in one.
    static func contains(_ path: String) -> Bool {
        path.split(separator: "/").suffix(2).contains { $0 == name }
    }

    /// Whether a file of this name is one of it. Hidden files and what does not end in `.toml`, as the copies that editors
    /// and packages leave, are not meant.
    static func reads(_ name: String) -> Bool { name.hasSuffix(".toml") && !name.hasPrefix(".") }

    /// Its files in the order of their names, byte by byte; none where there is no directory.
    func files(_ trust: FileTrust) throws(PolicyFileError) -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            // A link that leads nowhere is no absence: what it led to may keep rows that would go without it.
            if code == ENOENT, lstat(path, &status) != 0 { return [] }
            throw .unreadable(path, code)
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw PolicyFileError(
                file: path, place: .file, reason: "is not a directory",
                hint: "it must be the directory of the drop-in files; move it away")
        }
        try trust.check(status, path)
        return try names().filter(Self.reads)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { path + (path.hasSuffix("/") ? "" : "/") + $0 }
    }

    private func names() throws(PolicyFileError) -> [String] {
        guard let directory = opendir(path) else { throw .unreadable(path, errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { break }
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
                        String(cString: $0)
                    }
                })
        }
        // A directory that was read in part would be a policy in part.
        guard errno == 0 else { throw .unreadable(path, errno) }
        return names
    }
}
