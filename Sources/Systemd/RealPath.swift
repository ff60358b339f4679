import FoundationEssentials
import Glibc

/// Paths by which a file is the same, however it was named.
package enum RealPath {
    /// Where the links in `path` lead, and those in its directory where it is not there itself; without them, `path`
    /// without what means nothing in it.
    package static func of(_ path: String) -> String {
        if let real = resolved(path) { return real }
        let plain = plain(path)
        guard let end = plain.lastIndex(of: "/"), end > plain.startIndex,
            let directory = resolved(String(plain[..<end]))
        else { return plain }
        return (directory == "/" ? "" : directory) + plain[end...]
    }

    /// `path`, an absolute one, without the slashes and dots that mean nothing.
    package static func plain(_ path: String) -> String {
        "/" + path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }

    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
