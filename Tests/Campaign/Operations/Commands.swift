import Foundation
import TestSupport

/// The commands of an operation, as command lines for one place after the other.
struct Commands: Sendable {
    let operation: Operation
    private let program: String
    private let library: String
    /// The run for which `RUN` stands.
    var run = ""

    init(_ operation: Operation, _ setting: Setting) {
        self.operation = operation
        program = setting.pruned
        library = setting.faults
    }

    /// The command line of `command` on the files in `place`.
    func line(_ command: [String], in place: String) -> [String] {
        let configuration = operation.policy == nil ? [] : ["--config", place + "/pruned.toml"]
        let arguments = command.map { $0 == "RUN" ? run : $0 }
        return [program] + arguments + ["--state-dir", place + "/state"] + configuration
    }

    /// What each command has in its environment. A trap of the Swift runtime ends at once: it takes seconds to explain
    /// itself.
    var environment: [String: String] {
        let quick = ["SWIFT_BACKTRACE": "enable=no"]
        guard operation.daysAhead != 0 else { return quick }
        let clock = ["LD_PRELOAD": library, "FAULTS_AHEAD": "\(operation.daysAhead * 86_400)"]
        return quick.merging(clock) { $1 }
    }

    /// The same with the fault at `point`, which leaves a line in `log`.
    func environment(_ point: FaultPoint, log: String) -> [String: String] {
        environment.merging(point.environment(library: library, log: log)) { $1 }
    }

    /// Runs a command without faults.
    func start(_ command: [String], in place: String) throws -> EndedProgram {
        try spawn(line(command, in: place), environment: environment, in: place)
    }

    /// Runs the command that is attacked.
    func attack(_ point: FaultPoint, log: String, in place: String) throws -> EndedProgram {
        let ended = try spawn(
            line(operation.command, in: place), environment: environment(point, log: log), in: place,
            seconds: Self.longest)
        while ended.status >= 128, Self.isAnyLeft(with: "FAULTS_LOG=\(log)") { usleep(5_000) }
        return ended
    }

    /// SQLite waits ten seconds for each lock of a log's index that is refused, and a restore of four tables asks eight
    /// times.
    private static let longest = 180.0

    /// Whether a process has this in its environment: a worker whose program was killed ends after its batch. One that is
    /// about to end has no environment any more, and still its locks; its name tells then.
    private static func isAnyLeft(with variable: String) -> Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.contains { process in
            guard pid_t(process) != nil else { return false }
            let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ") ?? Data()
            guard environment.isEmpty else {
                return environment.split(separator: 0).contains { $0.elementsEqual(variable.utf8) }
            }
            let status = FileManager.default.contents(atPath: "/proc/\(process)/stat") ?? Data()
            let fields = String(decoding: status, as: UTF8.self)
            return fields.contains("(pruned)") && !fields.contains(") Z ")
        }
    }

    /// Runs a command before the attack, by the right clock.
    func prepare(_ command: [String], in place: String) throws -> EndedProgram {
        try spawn(line(command, in: place), in: place)
    }
}
