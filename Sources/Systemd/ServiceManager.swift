import FoundationEssentials
import Glibc

/// A service manager: the system's, or that of the current user.
package enum ServiceManager: Sendable {
    case system
    case user

    /// How long it may take to answer, in milliseconds. It is short, because the callers can do without an answer.
    private static let patience: Int32 = 3_000
    private static let program = "/bin/systemctl"
    private static let asked = ManagedUnit.asked + UnitSandbox.asked + UnitNetwork.asked

    /// Describes units; unknown units are left out. Empty if systemd does not run or does not answer.
    package func units(_ names: [String]) -> [ManagedUnit] {
        guard access("/run/systemd/system", F_OK) == 0 else { return [] }
        let line =
            [Self.program, "--no-pager"] + (self == .user ? ["--user"] : []) + ["show"]
            + ["--property=" + Self.asked.joined(separator: ",")] + names
        return Self.output(of: line).map(ManagedUnit.all) ?? []
    }

    /// The output of a program; nil if it failed or took too long.
    private static func output(of line: [String]) -> String? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = spawn(line, output: ends[1])
        close(ends[1])
        guard let process else { return nil }
        let bytes = read(ends[0])
        if bytes == nil { kill(process, SIGKILL) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status == 0 ? bytes.map { String(decoding: $0, as: UTF8.self) } : nil
    }

    private static func spawn(_ line: [String], output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        for stream in [STDIN_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        // Of the caller's environment, passes only the location of the user's manager.
        let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]
        let variables = ["LC_ALL=C.UTF-8"] + (runtime.map { ["XDG_RUNTIME_DIR=" + $0] } ?? [])
        var process = pid_t()
        let code = withCStrings(line) { arguments in
            withCStrings(variables) { variables in
                posix_spawn(&process, line[0], &actions, nil, arguments, variables)
            }
        }
        return code == 0 ? process : nil
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) }
        defer { pointers.forEach { free($0) } }
        return body(pointers + [nil])
    }

    /// All output of the process; nil if it does not end in time.
    private static func read(_ descriptor: Int32) -> [UInt8]? {
        let end = ContinuousClock.now + .milliseconds(Int(patience))
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while true {
            let left = Int32(clamping: Int64((end - ContinuousClock.now) / .milliseconds(1)))
            var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&state, 1, left) > 0 else { return nil }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer.prefix(count)
        }
    }
}
