import Glibc

/// A directory of files that override the main file. A package or a tool can set a key there without editing the main
/// file.
struct DropInDirectory {
    /// Its name, beside the main file.
    static let name = "conf.d"

    let path: String

    /// Whether `path` is such a directory or a file in one.
    static func contains(_ path: String) -> Bool {
        path.split(separator: "/").suffix(2).contains { $0 == name }
    }

    /// Whether a file with this name is read. Hidden files and files without `.toml` are not, such as backups of
    /// editors and packages.
    static func reads(_ name: String) -> Bool { name.hasSuffix(".toml") && !name.hasPrefix(".") }

    /// Its files, sorted by name as bytes; empty if there is no directory.
    func files(_ trust: FileTrust) throws(PolicyFileError) -> [String] {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            // A dangling link is an error: its files may have kept rows that would be deleted without them.
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
        // Files of a partly read directory would be only a part of the policy.
        guard errno == 0 else { throw .unreadable(path, errno) }
        return names
    }
}
