import FoundationEssentials
import Glibc
import TerminalText

/// A file of metrics for node_exporter's textfile collector, written from a state directory.
package struct MetricsFile: Sendable {
    package let path: String
    private let stateDirectory: String

    /// The metrics file at `path`, which must be absolute.
    package init(path: String, stateDirectory: String) {
        self.path = path
        self.stateDirectory = stateDirectory
    }

    /// Throws when the file could not be written, as far as that is known without writing it.
    package func checkAccess() throws(StoreError) {
        try refuseForeign()
        let directory = path.directory
        guard access(directory, W_OK | X_OK) == 0 else {
            throw unwritable(.system(errno, operation: "", place: path))
        }
    }

    /// Replaces the file atomically: a concurrent reader sees the old content or the new.
    ///
    /// Throws ``StoreErrorKind/inputOutput`` when it cannot be written.
    package func write(_ text: String) throws(StoreError) {
        try refuseForeign()
        do {
            let text = MetricsOwner.line(ofStateDirectory: stateDirectory) + text
            try AtomicFile.replace(path, with: Data(text.utf8), mode: 0o644)
        } catch {
            throw unwritable(error)
        }
    }

    private func unwritable(_ error: StoreError) -> StoreError {
        StoreError(
            error.kind, operation: "write the metrics", place: path, cause: error.cause,
            hint:
                "the directory must be there, and the user that pruned works as must be able to write to it;"
                + " the unit's sandbox needs ReadWritePaths=-\(path.directory)")
    }

    private func refuseForeign() throws(StoreError) {
        let cause: String
        let hint: String
        switch MetricsOwner(ofFileAt: path) {
        case nil, .unnamed, .stateDirectory(identity): return
        case .stateDirectory(let other):
            cause = "it has the metrics of another state directory, \(other)"
            hint = "let metrics_file name another file, or remove this one if that directory is used no more"
        case .foreign:
            cause = "something else stands there, which is not replaced"
            hint = "move it away, or let metrics_file name another file"
        }
        throw StoreError(
            .inputOutput, operation: "write the metrics", place: path, cause: cause, hint: hint)
    }

    /// Changes the file to say that the configuration was refused. The path comes from the last configuration in force,
    /// since the new one cannot be read. Does nothing when the file is gone, or belongs to another state directory or
    /// user.
    package func tellRefusal() {
        if isOwn { changeToRefused() }
    }

    /// Overwrites a single byte in place, so that a concurrent reader sees a complete file.
    private func changeToRefused() {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let handle = OpenFile(descriptor)
        var status = stat()
        let (first, good) = (
            MetricsOwner.line(ofStateDirectory: stateDirectory), MetricsText.configurationInForce
        )
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1,
            status.st_uid == geteuid(), let text = handle.read(),
            text.starts(with: Data(first.utf8)), let line = text.firstRange(of: Data("\n\(good)\n".utf8))
        else { return }
        _ = pwrite(descriptor, "0", 1, off_t(line.upperBound - 2))
    }

    private var identity: String { MetricsOwner.identity(ofStateDirectory: stateDirectory) }

    /// Whether the file was written from this state directory.
    package var isOwn: Bool { MetricsOwner(ofFileAt: path) == .stateDirectory(identity) }
}

/// The owner of a metrics file, from its first line. Two state directories that wrote to the same file would overwrite
/// each other's metrics.
enum MetricsOwner: Equatable {
    /// Written from the state directory with this ``identity(ofStateDirectory:)``.
    case stateDirectory(String)
    /// Written by a version of pruned that did not name its state directory.
    case unnamed
    /// Not a metrics file of pruned.
    case foreign

    /// The owner of the file at `path`; nil when there is no file, or an empty one.
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

    /// The first line of a file written from `directory`. Prometheus reads it as a comment.
    static func line(ofStateDirectory directory: String) -> String {
        beginning + identity(ofStateDirectory: directory) + "\n"
    }

    /// The real path of the directory, escaped to fit on one line.
    static func identity(ofStateDirectory directory: String) -> String {
        let resolved = realpath(directory, nil)
        defer { free(resolved) }
        let path = resolved.map { String(cString: $0) } ?? directory
        return path.escaping(
            { $0 == "\\" || $0 == "\n" || $0 == "\r" },
            as: { $0 == "\n" ? "\\n" : $0 == "\r" ? "\\r" : "\\\\" })
    }

    private static let beginning = "# Metrics of the state directory "

    /// Reads up to 16 KiB: a path has at most 4096 bytes.
    private static func firstLine(of path: String) -> String {
        // The file may have been replaced by a pipe since it was checked.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        let file = OpenFile(descriptor)
        let bytes = file.read(upTo: 16_384) ?? Data()
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

extension String {
    /// The part of a path before its last slash.
    var directory: String {
        lastIndex(of: "/").map { $0 == startIndex ? "/" : String(self[..<$0]) } ?? ""
    }
}
