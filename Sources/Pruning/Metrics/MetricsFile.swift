import FoundationEssentials
import Glibc

/// A file of metrics for node_exporter's textfile collector, written from a state directory.
package struct MetricsFile: Sendable {
    /// Where it is.
    package let path: String
    private let stateDirectory: String

    /// The file at `path`, an absolute one.
    package init(path: String, stateDirectory: String) {
        self.path = path
        self.stateDirectory = stateDirectory
    }

    /// Throws when the file could not be written, as far as that can be told without writing it.
    package func checkAccess() throws(StoreError) {
        try refuseForeign()
        let directory = path.directory
        guard access(directory, W_OK | X_OK) == 0 else {
            throw unwritable(.system(errno, operation: "", place: path))
        }
    }

    /// Replaces the file. Whoever reads it meanwhile sees the old one or the new.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput`` when it cannot be written.
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

    /// Says that the configuration was refused in the file, which was last written from this state directory: the one that
    /// would be written now stands in what cannot be read. Does nothing where that file is gone, or belongs to another directory
    /// or user.
    package func tellRefusal() {
        if isOwn { changeToRefused() }
    }

    /// Changes the one byte in place: whoever reads it meanwhile sees a whole file.
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

    /// Whether what stands there was written from this state directory.
    package var isOwn: Bool { MetricsOwner(ofFileAt: path) == .stateDirectory(identity) }
}

/// Replaces a small file so that a reader, or a crash, sees the old content or the new and nothing between.
enum AtomicFile {
    /// `mode`: who may use it, whatever the umask; by default the group, which shares the state directory.
    static func replace(_ path: String, with data: Data, mode: mode_t = 0o660) throws(StoreError) {
        let temporary = path + ".new"
        // A writer that was killed may have left one, and as another user.
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw .system(errno, operation: "write", place: temporary) }
        fchmod(file, mode)
        errno = ENOSPC  // why a write may be cut short without saying so
        let isWritten = data.withUnsafeBytes { bytes in
            write(file, bytes.baseAddress, bytes.count) == bytes.count && fsync(file) == 0
        }
        let code = errno
        close(file)
        guard isWritten else {
            unlink(temporary)
            throw .system(code, operation: "write", place: temporary)
        }
        guard rename(temporary, path) == 0 else { throw .system(errno, operation: "replace", place: path) }
    }
}

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
