import Foundation
import RealPrograms

/// A program that was started; killed when this object goes.
///
/// Its output goes to files: nothing has to be read for it to go on, and it can be looked at meanwhile.
final class RunningProgram {
    private let process: ChildProcess
    private let line: [String]
    private let files: Sandbox
    /// The end of a pipe that is its standard input.
    private var input: FileHandle?

    init(_ program: Program, feeds: Bool) throws {
        line = program.line
        files = try Sandbox()
        let pipe = try feeds ? Self.pipe() : nil
        input = pipe?.writing
        let reading = try pipe?.reading ?? FileHandle(forReadingFrom: URL(filePath: "/dev/null"))
        let (output, errors) = (try files.newFile("output"), try files.newFile("errors"))
        process = try ChildProcess(
            program.line,
            environment: program.environment.merging(Self.environment) { given, _ in given },
            directory: program.directory, input: reading.fileDescriptor, output: output.fileDescriptor,
            errors: errors.fileDescriptor)
        for handle in [reading, output, errors] { try handle.close() }
    }

    /// The environment of every program. Nothing that is installed or configured on the machine is read.
    private static let environment = [
        "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "CONFIGURATION_DIRECTORY": "/nonexistent/etc", "XDG_DATA_DIRS": "/nonexistent/share",
    ]

    /// A pipe that no other program inherits, lest it stays open when it is closed here.
    private static func pipe() throws -> (reading: FileHandle, writing: FileHandle) {
        var ends: [Int32] = [0, 0]
        guard Foundation.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (
            FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
            FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        )
    }

    deinit {
        if process.isRunning { kill(process.processID, SIGKILL) }
    }

    var processID: pid_t { process.processID }
    var isRunning: Bool { process.isRunning }
    /// Whether it is dead, though somebody may keep it from vanishing.
    var isZombie: Bool {
        let status = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        return status?.contains("State:\tZ") ?? true
    }
    /// How often each of its threads has gone to sleep or been made to wait for a processor.
    var contextSwitches: [String: [Substring]] {
        get throws {
            let tasks = "/proc/\(processID)/task"
            let threads = try FileManager.default.contentsOfDirectory(atPath: tasks)
            // One that has just ended has no file anymore.
            let statuses = threads.map {
                try? String(contentsOfFile: "\(tasks)/\($0)/status", encoding: .utf8)
            }
            return Dictionary(
                uniqueKeysWithValues: zip(threads, statuses).map { thread, status in
                    (thread, (status ?? "").split(separator: "\n").filter { $0.contains("ctxt_switches") })
                })
        }
    }
    /// What it has written so far.
    var output: String { files.text("output") }
    var errors: String { files.text("errors") }

    func send(_ signal: Int32) {
        kill(process.processID, signal)
    }

    /// Writes to its standard input.
    func feed(_ text: String) throws {
        try input?.write(contentsOf: Data(text.utf8))
    }

    /// Waits for its end, after closing its standard input; kills it after `seconds` and throws.
    func wait(seconds: Double = 240) throws -> EndedProgram {
        try input?.close()
        input = nil
        guard let status = process.wait(seconds: seconds) else {
            kill(process.processID, SIGKILL)
            throw ProgramTookTooLong(line: line, seconds: seconds, errors: errors)
        }
        return EndedProgram(line: line, status: status, output: output, errors: errors)
    }
}
