import FoundationEssentials
import Glibc

/// A file of metrics for node_exporter's textfile collector, and the sums behind it in the state directory.
package struct MetricsFile: Sendable {
    private let path: String
    private let stateDirectory: String
    private var statePath: String { Self.statePath(in: stateDirectory) }

    /// The file at `path`, an absolute one.
    package init(path: String, stateDirectory: String) {
        self.path = path
        self.stateDirectory = stateDirectory
    }

    private static func statePath(in stateDirectory: String) -> String { stateDirectory + "/metrics.json" }

    /// What is wrong with the sums in `stateDirectory`; nil when they can be read, or there are none yet.
    static func damage(in stateDirectory: String) -> StateDamage? {
        let path = statePath(in: stateDirectory)
        guard kept(at: path) == nil, !StateDamage.isMissing(path) else { return nil }
        return StateDamage(
            path: path, reason: "\(path) is damaged and counts as empty: the metrics' counters begin at 0",
            hint: "nothing need be done: the next run writes it anew, and Prometheus takes that for a restart"
        )
    }

    /// Changes the sums by `body`, and replaces the file by what `render` makes of them. Whoever reads it meanwhile
    /// sees the old one or the new. Another process may do so at the same time: nothing is lost, and no counter goes
    /// back.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput`` when the file or the state directory cannot be written; the
    /// sums may have been changed all the same. Returns what was wrong with the sums, which then begin anew.
    @discardableResult
    package func update(
        _ body: (inout Metrics) -> Void, render: (Metrics) -> MetricsText
    ) throws(StoreError) -> StateDamage? {
        try DirectoryLock.hold(
            stateDirectory,
            failure: { .system($0, operation: "remember the metrics", place: statePath) },
            { () throws(StoreError) in
                let before = kept()
                let damage = before == nil ? Self.damage(in: stateDirectory) : nil
                var metrics = before ?? Metrics()
                body(&metrics)
                metrics.file = path
                if metrics != before { try keep(metrics) }
                try write(render(metrics).description)
                return damage
            })
    }

    /// Throws when the file could not be written, as far as that can be told without writing it.
    package func checkAccess() throws(StoreError) {
        try refuseForeign()
        let directory = path.directory
        guard access(directory, W_OK | X_OK) == 0 else {
            throw unwritable(.system(errno, operation: "", place: path))
        }
    }

    /// What cannot be read counts as nothing: counters that begin anew are what Prometheus expects of a restart.
    private func kept() -> Metrics? { Self.kept(at: statePath) }

    private static func kept(at path: String) -> Metrics? {
        RegularFile.contents(atPath: path).flatMap {
            StoredNumbers.areBounded($0) ? try? JSONDecoder().decode(Metrics.self, from: $0) : nil
        }
    }

    private func keep(_ metrics: Metrics) throws(StoreError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let data: Data
        do {
            data = try encoder.encode(metrics)
        } catch {
            throw StoreError(
                .other, operation: "remember the metrics", place: statePath, cause: "\(error)")
        }
        try AtomicFile.replace(statePath, with: data)
    }

    private func write(_ text: String) throws(StoreError) {
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

    /// Says that the configuration was refused in the file that was last written from `stateDirectory`: the one that would be
    /// written now stands in what cannot be read. Does nothing where that file is gone, or belongs to another directory or
    /// user.
    package static func tellRefusal(stateDirectory: String) throws(StoreError) {
        let file = MetricsFile(path: "", stateDirectory: stateDirectory)
        try DirectoryLock.hold(
            stateDirectory,
            failure: { .system($0, operation: "remember the metrics", place: file.statePath) },
            { () throws(StoreError) in
                guard var metrics = file.kept(), let path = metrics.file else { return }
                if metrics.isConfigurationInForce != false {
                    metrics.isConfigurationInForce = false
                    try file.keep(metrics)
                }
                if MetricsOwner(ofFileAt: path) == .stateDirectory(file.identity) {
                    file.tellRefusal(in: path)
                }
            })
    }

    /// Changes the one byte in place: whoever reads it meanwhile sees a whole file, and the path, which others may have
    /// written into the state directory, is asked only once.
    private func tellRefusal(in path: String) {
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

    /// The file that was last written from `stateDirectory`, where that is not the one at `path`, nor gone.
    package static func abandoned(for path: String?, stateDirectory: String) -> String? {
        let file = MetricsFile(path: path ?? "", stateDirectory: stateDirectory)
        guard let old = file.kept()?.file, old != path else { return nil }
        return MetricsOwner(ofFileAt: old) == .stateDirectory(file.identity) ? old : nil
    }
}
