import Foundation

/// A command line.
struct Program {
    /// An absolute path, or a name to be found on `PATH`.
    let path: String
    let arguments: [String]
    /// Variables besides this process's own.
    var environment: [String: String] = [:]

    init(_ path: String, _ arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// The `sqlite3` program, without the user's settings. It stops at the first error.
    static func sqlite3(_ database: String, _ sql: String) -> Program {
        Program("sqlite3", ["-init", "/dev/null", "-batch", "-bail", database, sql])
    }
}

/// A program that has ended.
struct EndedProgram {
    let program: Program
    /// Nanoseconds of ``MonotonicClock``.
    let start: Int64
    let end: Int64
    /// The exit status, or 128 and the number of the signal that ended it.
    let status: Int32
    let usage: Usage
    let output: String
    let errors: String

    /// This program, if its status is 0; else throws what it said.
    @discardableResult
    func checked() throws -> EndedProgram {
        guard status == 0 else {
            throw BenchmarkError("\(program.path) ended with status \(status): \(errors)\(output)")
        }
        return self
    }
}

/// What the run of a program took.
struct Usage: Codable, Equatable {
    /// From before its start until after its end.
    let wallSeconds: Double
    /// User and system time.
    let processorSeconds: Double
    /// The most memory that was resident at once (`ru_maxrss`).
    let peakBytes: Int64
    /// By `read` and its like, from the page cache or not; nil where the kernel does not say.
    let bytesRead: Int64?

    init(wallNanoseconds: Int64, resources: rusage, bytesRead: Int64?) {
        wallSeconds = Double(wallNanoseconds) / 1e9
        processorSeconds = [resources.ru_utime, resources.ru_stime]
            .map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
        peakBytes = Int64(resources.ru_maxrss) * 1_024
        self.bytesRead = bytesRead
    }

    /// The benchmark's own peak so far. A program starts in the memory of the one that starts it, so the kernel
    /// reports at least this peak for everything that the benchmark starts.
    static var ownPeakBytes: Int64 {
        var resources = rusage()
        getrusage(RUSAGE_SELF.rawValue, &resources)
        return Int64(resources.ru_maxrss) * 1_024
    }
}
