import CCampaign
import Foundation

/// A program that has ended.
struct Spawned: CustomStringConvertible {
    /// The exit status, or 128 plus the number of the signal that ended it; ``tookTooLong`` when it had to be killed.
    let status: Int32
    let output: String
    let errors: String
    /// How often it called the system to read; 0 where the kernel does not count that.
    let reads: Int

    /// The status of a program that did not end in time.
    static let tookTooLong: Int32 = 999

    /// Whether it was ended by a signal, its own abort included, or had to be killed.
    var crashed: Bool { status >= 128 }

    /// How it ended and what it said, for a finding.
    var description: String { "exit \(status): \(output.suffix(400)) \(errors.suffix(800))" }
}

/// A program that runs, started with little cost: no thread of its own, no program before it, so that `LD_PRELOAD` in
/// its environment reaches nothing else.
struct Spawning {
    let process: pid_t
    private let output: UnnamedOutput
    private let errors: UnnamedOutput

    /// Starts `line` in `directory`. `PLANTED` is passed on: it names the mistake of a program under trial.
    init(_ line: [String], environment: [String: String] = [:], in directory: String) throws {
        output = try UnnamedOutput()
        errors = try UnnamedOutput()
        let fixed = [
            "PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": directory,
            // Nothing that is installed on the machine counts.
            "CONFIGURATION_DIRECTORY": directory + "/etc", "XDG_DATA_DIRS": directory + "/share",
        ]
        let planted = getenv("PLANTED").map { ["PLANTED": String(cString: $0)] } ?? [:]
        let variables = fixed.merging(planted) { $1 }.merging(environment) { $1 }
            .map { "\($0.key)=\($0.value)" }
        let arguments = line.map { strdup($0) } + [nil]
        let environ = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + environ { free(text) } }
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(nothing) }
        process = campaign_spawn(
            arguments, environ, directory, nothing, output.descriptor, errors.descriptor)
        guard process > 0 else { throw SpawningError(program: line[0], directory: directory, code: -process) }
    }

    func send(_ signal: Int32) { kill(process, signal) }

    /// Whether it has ended; it is still to be waited for.
    var hasEnded: Bool {
        var facts = siginfo_t()
        return waitid(P_PID, id_t(process), &facts, WEXITED | WNOHANG | WNOWAIT) == 0
            && facts.si_signo == SIGCHLD
    }

    /// What it has written to its standard error so far.
    var errorsSoFar: String { errors.text }

    /// Waits for its end; kills it after `seconds`. To be called once.
    func wait(seconds: Double = 60) -> Spawned {
        let descriptor = campaign_pidfd(process)
        defer { close(descriptor) }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var ready = poll(&waiting, 1, Int32(seconds * 1000))
        while ready < 0, errno == EINTR { ready = poll(&waiting, 1, Int32(seconds * 1000)) }
        if ready == 0 { kill(process, SIGKILL) }
        let reads = readsSoFar
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        let code = signal == 0 ? (status >> 8) & 0xff : 128 + signal
        return Spawned(
            status: ready == 0 ? Spawned.tookTooLong : code, output: output.text, errors: errors.text,
            reads: reads)
    }

    /// The kernel keeps the count until the program is waited for.
    private var readsSoFar: Int {
        let counts = (try? String(contentsOfFile: "/proc/\(process)/io", encoding: .utf8)) ?? ""
        return counts.split(separator: "\n").first { $0.hasPrefix("syscr: ") }.flatMap {
            Int($0.dropFirst(7))
        } ?? 0
    }
}

/// A program that could not be started.
struct SpawningError: Error, CustomStringConvertible {
    let program: String
    let directory: String
    let code: Int32

    var description: String { "cannot start \(program) in \(directory): \(String(cString: strerror(code)))" }
}

/// Runs `line` in `directory` to its end; kills it after `seconds`.
func spawn(
    _ line: [String], environment: [String: String] = [:], in directory: String, seconds: Double = 60
) throws -> Spawned {
    try Spawning(line, environment: environment, in: directory).wait(seconds: seconds)
}

/// A file in memory that a program writes to.
final class UnnamedOutput {
    let descriptor: Int32

    init() throws {
        descriptor = campaign_memory_file()
        guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
    }

    deinit { close(descriptor) }

    var text: String {
        var facts = stat()
        fstat(descriptor, &facts)
        var bytes = [UInt8](repeating: 0, count: Int(facts.st_size))
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
