import Foundation
import Synchronization

/// A program started with `posix_spawn`.
///
/// Foundation's `Process` is not used: it sometimes crashes the test run when many processes are started concurrently.
package final class ChildProcess: Sendable {
    package let processID: pid_t
    private let ended = DispatchSemaphore(value: 0)
    private let result = Mutex<Int32?>(nil)

    /// Starts the program named first in `line`, found on the `PATH` of `environment`. If that is nil, it gets this
    /// process's environment. It gets the three descriptors as its standard streams, and no others.
    package init(
        _ line: [String], environment: [String: String]? = nil, directory: String? = nil, input: Int32,
        output: Int32, errors: Int32
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, descriptor) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)]
        {
            posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
        }
        // A descriptor that is not open is ignored.
        for descriptor in 3..<Self.descriptors { posix_spawn_file_actions_addclose(&actions, descriptor) }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }
        var process = pid_t()
        let start = ["/usr/bin/env"] + (directory.map { ["--chdir=" + $0] } ?? [])
        let code = Self.withCStrings(start + line) { arguments in
            Self.withCStrings(variables) { variables in
                posix_spawn(&process, "/usr/bin/env", &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        processID = process
        // One thread for each program: it sleeps until the program ends.
        Thread.detachNewThread { [self] in reap() }
    }

    /// More descriptors than a test run has open.
    private static let descriptors: Int32 = 512

    private func reap() {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7f
        result.withLock { $0 = signal == 0 ? (status >> 8) & 0xff : 128 + signal }
        ended.signal()
    }

    /// Whether the program has not ended yet.
    package var isRunning: Bool { result.withLock { $0 == nil } }

    /// The exit status, or 128 plus the number of the signal that ended the program, as in a shell. Nil if it has not
    /// ended within `seconds`.
    package func wait(seconds: Double) -> Int32? {
        guard ended.wait(timeout: .now() + seconds) == .success else { return nil }
        ended.signal()  // for other waiting threads
        return result.withLock { $0 }
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
