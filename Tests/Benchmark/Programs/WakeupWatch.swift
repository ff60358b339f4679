import Foundation
import TestSupport

/// How often the threads of a process run, as the kernel counts it.
struct WakeupWatch {
    /// How often the process was found to have run after it had not.
    private(set) var wakeups = 0
    /// Voluntary or not.
    private(set) var contextSwitches = 0
    /// The most threads at a time.
    private(set) var threads = 0
    /// Messages that were counted by `pings`.
    private(set) var pings = 0
    /// To 10 ms, which is how the kernel counts.
    private(set) var processorMilliseconds = 0

    /// Looks every 20 ms: what happens between two looks is one wakeup.
    ///
    /// `pings` says how many messages to the watchdog have come since it was last asked.
    init(of process: pid_t, seconds: Int, pings: () throws -> Int) throws {
        let ticks = try Self.ticks(of: process)
        var known = try Self.contextSwitches(of: process)
        var hasRun = false
        for _ in 0..<seconds * 50 {
            MonotonicClock.sleep(milliseconds: 20)
            let now = try Self.contextSwitches(of: process)
            let new = now.map { $1 - (known[$0] ?? 0) }.reduce(0, +)
            if new > 0, !hasRun { wakeups += 1 }
            hasRun = new > 0
            contextSwitches += new
            threads = max(threads, now.count)
            known = now
            self.pings += try pings()
        }
        processorMilliseconds = (try Self.ticks(of: process) - ticks) * 1_000 / sysconf(Int32(_SC_CLK_TCK))
    }

    /// Of each thread.
    private static func contextSwitches(of process: pid_t) throws -> [String: Int] {
        let tasks = "/proc/\(process)/task"
        var switches: [String: Int] = [:]
        for thread in try FileManager.default.contentsOfDirectory(atPath: tasks) {
            // One that has just ended has no file anymore.
            guard let status = try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
            else {
                continue
            }
            switches[thread] = status.split(separator: "\n").filter { $0.contains("ctxt_switches:") }
                .compactMap { $0.split(separator: "\t").last.flatMap { Int($0) } }.reduce(0, +)
        }
        return switches
    }

    private static func ticks(of process: pid_t) throws -> Int {
        let stat = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The program's name, which may have spaces, ends with the last parenthesis; utime and stime are the
        // 14th and 15th fields.
        let fields = stat[(stat.lastIndex(of: ")") ?? stat.startIndex)...].split(separator: " ")
        return fields[12...13].compactMap { Int($0) }.reduce(0, +)
    }
}
