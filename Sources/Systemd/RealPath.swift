import Glibc

/// Paths that are equal for the same file, however it was named.
package enum RealPath {
    /// Resolves the links in `path`. If the file does not exist, resolves those in its directory. If that fails too,
    /// returns ``plain(_:)`` of `path`.
    package static func of(_ path: String) -> String {
        if let real = resolved(path) { return real }
        let plain = plain(path)
        guard let end = plain.lastIndex(of: "/"), end > plain.startIndex,
            let directory = resolved(String(plain[..<end]))
        else { return plain }
        return (directory == "/" ? "" : directory) + plain[end...]
    }

    /// `path`, which must be absolute, without redundant slashes and dots.
    package static func plain(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
