import Foundation

/// A program that was started with `posix_spawn`. Its standard input is a pipe; its output goes to unnamed files.
final class RunningProgram {
    let processID: pid_t
    private let program: Program
    private let output: Int32
    private let errors: Int32
    private var input: Int32
    private let start: Int64
    private var hasEnded = false

    init(_ program: Program) throws {
        self.program = program
        output = try Self.unnamedFile()
        errors = try Self.unnamedFile()
        var pipeEnds: [Int32] = [-1, -1]
        guard pipe(&pipeEnds) == 0 else { throw BenchmarkError(cannot: "make a pipe") }
        // Else another program would keep this one's input open.
        for end in pipeEnds { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(pipeEnds[0]) }
        input = pipeEnds[1]

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipeEnds[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

        let variables = ProcessInfo.processInfo.environment.merging(program.environment) { $1 }
        var process = pid_t()
        start = MonotonicClock.nanoseconds
        let code = Self.withCStrings([program.path] + program.arguments) { arguments in
            Self.withCStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
                posix_spawnp(&process, program.path, &actions, nil, arguments, variables)
            }
        }
        guard code == 0 else { throw BenchmarkError(cannot: "start \(program.path)", code: code) }
        processID = process
    }

    deinit {
        if !hasEnded {
            kill(processID, SIGKILL)
            waitpid(processID, nil, 0)
        }
        close(output)
        close(errors)
        if input >= 0 { close(input) }
    }

    /// What it has written to standard output so far.
    var outputSoFar: String { Self.text(of: output) }

    /// Closes its standard input, which tells the benchmark's own programs to end.
    func endInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    func send(_ signal: Int32) { kill(processID, signal) }

    /// Waits for its end.
    func wait() throws -> EndedProgram {
        var information = siginfo_t()
        // Without reaping it: only a process that still exists tells how much it has read.
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0 {
            guard errno == EINTR else { throw BenchmarkError(cannot: "wait for \(program.path)") }
        }
        let end = MonotonicClock.nanoseconds
        let bytesRead = Self.bytesRead(by: processID)
        var status: Int32 = 0
        var resources = rusage()
        guard wait4(processID, &status, 0, &resources) == processID else {
            throw BenchmarkError(cannot: "wait for \(program.path)")
        }
        hasEnded = true
        let signal = status & 0x7f
        return EndedProgram(
            program: program, start: start, end: end,
            status: signal == 0 ? (status >> 8) & 0xff : 128 + signal,
            usage: Usage(wallNanoseconds: end - start, resources: resources, bytesRead: bytesRead),
            output: Self.text(of: output), errors: Self.text(of: errors))
    }

    private static func bytesRead(by process: pid_t) -> Int64? {
        let text = try? String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("rchar: ") }
        return line.flatMap { Int64($0.dropFirst(7)) }
    }

    /// `strings` as C wants them: ended by a null pointer.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    private static func unnamedFile() throws -> Int32 {
        // mkstemp replaces the six letters.
        var path = Array((FileManager.default.temporaryDirectory.path + "/output-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw BenchmarkError(cannot: "make a temporary file") }
        unlink(path)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func text(of descriptor: Int32) -> String {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return "" }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}

extension Program {
    /// Runs it to its end.
    func run() throws -> EndedProgram { try RunningProgram(self).wait() }
}
