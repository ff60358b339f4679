import FoundationEssentials
import Glibc

/// Whose a metrics file is, by its first line: two state directories that wrote to one file would take turns with it.
enum MetricsOwner: Equatable {
    /// Written from the state directory of this ``identity(ofStateDirectory:)``.
    case stateDirectory(String)
    /// Written by a version of pruned that did not say from where.
    case unnamed
    /// No metrics file of pruned's.
    case foreign

    /// Of what stands at `path`; nil when there is nothing, or an empty file.
    init?(ofFileAt path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1 else {
            self = .foreign
            return
        }
        guard status.st_size > 0 else { return nil }
        let line = Self.firstLine(of: path)
        if line.hasPrefix(Self.beginning) {
            self = .stateDirectory(String(line.dropFirst(Self.beginning.count)))
        } else {
            self = line.hasPrefix("# HELP pruned_") ? .unnamed : .foreign
        }
    }

    /// The line that a file written from `directory` begins with: a comment to Prometheus.
    static func line(ofStateDirectory directory: String) -> String {
        beginning + identity(ofStateDirectory: directory) + "\n"
    }

    /// The directory on one line, by whatever path it was named.
    static func identity(ofStateDirectory directory: String) -> String {
        let resolved = realpath(directory, nil)
        defer { free(resolved) }
        let path = resolved.map { String(cString: $0) } ?? directory
        return path.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\r", with: "\\r")
    }

    private static let beginning = "# Metrics of the state directory "

    /// A path has at most 4096 bytes.
    private static func firstLine(of path: String) -> String {
        // What was a file a moment ago may be a pipe by now.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        let file = OpenFile(descriptor)
        let bytes = file.read(upTo: 16_384) ?? Data()
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

extension String {
    /// Of a file's path: what stands before its last slash.
    var directory: String {
        lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? ""
    }
}
