import Foundation

/// A program that was started; killed when this object goes.
///
/// Its output goes to files: nothing has to be read for it to go on, and it can be looked at meanwhile.
final class RunningProgram {
    private let process = Process()
    private let line: [String]
    private let files: Sandbox
    private let input: Pipe?
    private let ended = DispatchSemaphore(value: 0)

    init(_ program: Program, feeds: Bool) throws {
        line = program.line
        files = try Sandbox()
        input = feeds ? Pipe() : nil
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = program.line
        process.environment = program.environment.merging(
            ["PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]) { given, _ in given }
        if let directory = program.directory { process.currentDirectoryURL = URL(filePath: directory) }
        process.standardInput = input ?? FileHandle.nullDevice
        process.standardOutput = try files.newFile("output")
        process.standardError = try files.newFile("errors")
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    var processID: pid_t { process.processIdentifier }
    var isRunning: Bool { process.isRunning }
    /// Whether it is dead, though somebody may keep it from vanishing.
    var isZombie: Bool {
        let status = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
        return status?.contains("State:\tZ") ?? true
    }
    /// What it has written so far.
    var output: String { files.text("output") }
    var errors: String { files.text("errors") }

    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Writes to its standard input.
    func feed(_ text: String) throws {
        try input?.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// Waits for its end, after closing its standard input; kills it after `seconds` and throws.
    func wait(seconds: Double = 60) throws -> EndedProgram {
        try input?.fileHandleForWriting.close()
        guard ended.wait(timeout: .now() + seconds) == .success else {
            kill(process.processIdentifier, SIGKILL)
            ended.wait()
            throw ProgramTookTooLong(line: line, seconds: seconds, errors: errors)
        }
        let signal: Int32 = process.terminationReason == .uncaughtSignal ? 128 : 0
        return EndedProgram(
            line: line, status: signal + process.terminationStatus, output: output, errors: errors)
    }
}
