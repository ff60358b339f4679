import CSpawning
import Foundation
import Synchronization

/// A program started with `posix_spawn`: no program before it, so that `LD_PRELOAD` in its environment reaches nothing else.
///
/// Foundation's `Process` is not used: it sometimes crashes the test run when many processes are started concurrently.
package final class ChildProcess: Sendable {
    package let processID: pid_t
    private let ended = DispatchSemaphore(value: 0)
    private let result = Mutex<(status: Int32, usage: Usage)?>(nil)

    /// Starts the program named first in `line`, found on the `PATH` of `environment`. If that is nil, it gets this
    /// process's environment. It gets the three descriptors as its standard streams, and no others.
    package init(
        _ line: [String], environment: [String: String]? = nil, directory: String? = nil, input: Int32,
        output: Int32, errors: Int32
    ) throws {
        let environment = environment ?? ProcessInfo.processInfo.environment
        let path = Self.find(line[0], on: environment["PATH"] ?? "/usr/bin:/bin")
        let start = MonotonicClock.nanoseconds
        let process = Self.withCStrings(line) { arguments in
            Self.withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                spawning_start(path, arguments, variables, directory, input, output, errors)
            }
        }
        guard process > 0 else { throw ProgramDidNotStart(line: line, directory: directory, code: -process) }
        processID = process
        // One thread for each program: it sleeps until the program ends.
        Thread.detachNewThread { [self] in reap(since: start) }
    }

    private static func find(_ program: String, on path: String) -> String {
        guard !program.contains("/") else { return program }
        return path.split(separator: ":").map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
            ?? program
    }

    private func reap(since start: Int64) {
        var facts = siginfo_t()
        // Without reaping it: only a process that still exists tells how much it has read.
        while waitid(P_PID, id_t(processID), &facts, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
        let end = MonotonicClock.nanoseconds
        let counts = (try? String(contentsOfFile: "/proc/\(processID)/io", encoding: .utf8)) ?? ""
        var status: Int32 = 0
        var resources = rusage()
        while wait4(processID, &status, 0, &resources) < 0 && errno == EINTR {}
        let signal = status & 0x7f
        let code = signal == 0 ? (status >> 8) & 0xff : 128 + signal
        let usage = Usage(from: start, until: end, resources: resources, counts: counts)
        result.withLock { $0 = (code, usage) }
        ended.signal()
    }

    /// Whether the program has not ended yet.
    package var isRunning: Bool { result.withLock { $0 == nil } }

    /// What it took; nil while it runs.
    var usage: Usage? { result.withLock { $0?.usage } }

    /// The exit status, or 128 plus the number of the signal that ended the program, as in a shell. Nil if it has not
    /// ended within `seconds`.
    package func wait(seconds: Double) -> Int32? {
        guard ended.wait(timeout: .now() + seconds) == .success else { return nil }
        ended.signal()  // for other waiting threads
        return result.withLock { $0?.status }
    }

    /// `strings` as C wants them: ended by a null pointer.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

/// A program could not be started.
package struct ProgramDidNotStart: Error, CustomStringConvertible {
    package let line: [String]
    package let directory: String?
    package let code: Int32

    package init(line: [String], directory: String?, code: Int32) {
        (self.line, self.directory, self.code) = (line, directory, code)
    }

    package var description: String {
        let place = directory.map { " in \($0)" } ?? ""
        return "`\(line.joined(separator: " "))` cannot start\(place): \(String(cString: strerror(code)))"
    }
}
