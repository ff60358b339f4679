import Foundation
import TestSupport

/// The program beside an app: one run, or the service.
struct PrunedBeside {
    let program: String
    let directory: String
    let configuration: String

    init(_ program: String, store: String, rule: String, lockTime: String, in directory: String) throws {
        self.program = program
        self.directory = directory
        configuration = directory + "/pruned.toml"
        let text = """
            time_zone = "UTC"
            [batch]
            lock_time = "\(lockTime)"
            [store.app]
            \(store)
            \(rule)
            """
        try Data(text.utf8).write(to: URL(filePath: configuration))
        try FileManager.default.createDirectory(
            atPath: directory + "/state", withIntermediateDirectories: false)
    }

    private func line(_ arguments: [String]) -> [String] {
        [program] + arguments + ["--state-dir", directory + "/state", "--config", configuration]
    }

    func startRun(_ arguments: [String] = []) throws -> Spawning {
        try Spawning(line(["--run-now", "--json"] + arguments), in: directory)
    }

    func startService() throws -> Spawning { try Spawning(line([]), in: directory) }

    func startRestore(_ run: String) throws -> Spawning {
        try Spawning(line(["restore", run, "--json"]), in: directory)
    }

    /// The runs of which the archive has rows.
    func archivedRuns() throws -> [String] {
        try spawn(line(["restore"]), in: directory).output.split(separator: "\n").dropFirst()
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }
}

/// What is used of a run's report.
struct RunReport {
    let outcome: String
    let deleted: Int
    let seconds: Double
    let reason: String

    /// Nil: the run was killed before it wrote one.
    init?(_ output: String) {
        guard
            let report = try? JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any],
            let rules = report["rules"] as? [[String: Any]]
        else { return nil }
        outcome = report["outcome"] as? String ?? ""
        deleted = rules.reduce(0) { $0 + ($1["deleted"] as? Int ?? 0) }
        seconds = (report["duration_ms"] as? Double ?? 0) / 1000
        reason = rules.compactMap { $0["reason"] as? String }.joined(separator: "; ")
    }
}
