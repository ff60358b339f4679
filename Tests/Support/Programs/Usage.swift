import Foundation

/// What the run of a program took.
package struct Usage: Codable, Equatable, Sendable {
    /// Nanoseconds of ``MonotonicClock``, before its start and after its end.
    package var start: Int64 = 0
    package var end: Int64 = 0
    package var wallSeconds = 0.0
    /// User and system time.
    package var processorSeconds = 0.0
    /// The most memory that was resident at once (`ru_maxrss`).
    package var peakBytes: Int64 = 0
    /// By `read` and its like, from the page cache or not; nil where the kernel does not say.
    package var bytesRead: Int64?
    /// How often it called the system to read; nil where the kernel does not say.
    package var reads: Int?

    /// Of a program that was not watched.
    package init(wallSeconds: Double = 0) { self.wallSeconds = wallSeconds }

    /// `counts` is what the kernel says of its input and output.
    init(from start: Int64, until end: Int64, resources: rusage, counts: String) {
        (self.start, self.end, wallSeconds) = (start, end, Double(end - start) / 1e9)
        processorSeconds = [resources.ru_utime, resources.ru_stime]
            .map { Double($0.tv_sec) + Double($0.tv_usec) / 1e6 }.reduce(0, +)
        peakBytes = Int64(resources.ru_maxrss) * 1_024
        let lines = counts.split(separator: "\n")
        let count = { (name: String) in
            lines.first { $0.hasPrefix(name) }.flatMap { Int64($0.dropFirst(name.count)) }
        }
        (bytesRead, reads) = (count("rchar: "), count("syscr: ").map(Int.init))
    }

    /// This process's own peak so far. A program starts in the memory of the one that starts it, so the kernel reports at
    /// least this peak for everything that this process starts.
    package static var ownPeakBytes: Int64 {
        var resources = rusage()
        getrusage(RUSAGE_SELF.rawValue, &resources)
        return Int64(resources.ru_maxrss) * 1_024
    }
}
