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

    func startRun(_ arguments: [String] = []) throws -> RunningProgram {
        try Program(tried: line(["--run-now", "--json"] + arguments), in: directory).start()
    }

    func startService() throws -> RunningProgram { try Program(tried: line([]), in: directory).start() }

    func startRestore(_ run: String) throws -> RunningProgram {
        try Program(tried: line(["restore", run, "--json"]), in: directory).start()
    }

    /// The runs of which the archive has rows.
    func archivedRuns() throws -> [String] {
        try spawn(line(["restore"]), in: directory).output.split(separator: "\n").dropFirst()
            .compactMap { $0.split(separator: " ").first.map(String.init) }
    }
}
