import Foundation
import Synchronization

/// A program that was started; killed when this object goes.
///
/// Its output goes to files: nothing has to be read for it to go on, and it can be looked at meanwhile.
package final class RunningProgram: Sendable {
    private let process: ChildProcess
    private let line: [String]
    private let written: (output: UnnamedFile, errors: UnnamedFile)
    /// The pipe that is its standard input; nil once it is closed, or if it has none.
    private let input: Mutex<PipeInput?>

    init(_ program: Program, feeds: Bool = false, input: String = "") throws {
        let pipe = try feeds ? PipeInput() : nil
        let file = try UnnamedFile()
        try file.fill(input)
        line = program.line
        written = (try UnnamedFile(), try UnnamedFile())
        process = try ChildProcess(
            program.line, environment: program.wholeEnvironment, directory: program.directory,
            input: pipe?.reading ?? file.descriptor, output: written.output.descriptor,
            errors: written.errors.descriptor)
        withExtendedLifetime(file) {}
        pipe?.handOver()
        self.input = Mutex(pipe)
    }

    deinit {
        if process.isRunning { kill(process.processID, SIGKILL) }
    }

    package var processID: pid_t { process.processID }
    package var isRunning: Bool { process.isRunning }
    /// Whether it is dead, though somebody may keep it from vanishing.
    package var isZombie: Bool {
        let status = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        return status?.contains("State:\tZ") ?? true
    }
    /// How often each of its threads has gone to sleep or been made to wait for a processor.
    package var contextSwitches: [String: [Substring]] {
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
    package var output: String { written.output.text }
    package var errors: String { written.errors.text }

    package func send(_ signal: Int32) {
        kill(process.processID, signal)
    }

    /// Sends it to the program, and to the processes that it has started.
    package func sendToAll(_ signal: Int32) {
        for id in [process.processID] + children { kill(id, signal) }
    }

    /// The processes that it has started, and that have not ended.
    package var children: [pid_t] {
        let tasks = "/proc/\(process.processID)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.flatMap { thread in
            ((try? String(contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)) ?? "")
                .split(separator: " ").compactMap { pid_t($0) }
        }
    }

    /// Whether a process has given back all that it had, though nobody may have asked yet how it ended.
    package static func hasEnded(_ id: pid_t) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else {
            return true
        }
        return status.contains(") Z ")
    }

    /// Writes to its standard input.
    package func feed(_ text: String) throws {
        try input.withLock { try $0?.write(text) }
    }

    /// Closes its standard input.
    package func endInput() { input.withLock { $0 = nil } }

    /// Waits for its end, after closing its standard input; kills it after `seconds` and throws.
    package func wait(seconds: Double = 240) throws -> EndedProgram {
        endInput()
        guard let status = process.wait(seconds: seconds) else {
            kill(process.processID, SIGKILL)
            throw ProgramTookTooLong(line: line, seconds: seconds, output: output, errors: errors)
        }
        return EndedProgram(
            line: line, status: status, output: output, errors: errors, usage: process.usage ?? Usage())
    }
}
