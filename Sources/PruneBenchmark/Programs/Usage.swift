import Foundation

/// What the run of a program took.
struct Usage: Codable, Equatable {
    /// From before its start until after its end.
    let wallSeconds: Double
    let userSeconds: Double
    let systemSeconds: Double
    /// The most memory that was resident at once (`ru_maxrss`).
    let peakBytes: Int64
    /// By `read` and its like, from the page cache or not; nil where the kernel does not say.
    let bytesRead: Int64?

    var processorSeconds: Double { userSeconds + systemSeconds }

    init(wallNanoseconds: Int64, resources: rusage, bytesRead: Int64?) {
        wallSeconds = Double(wallNanoseconds) / 1e9
        userSeconds = Self.seconds(resources.ru_utime)
        systemSeconds = Self.seconds(resources.ru_stime)
        peakBytes = Int64(resources.ru_maxrss) * 1_024
        self.bytesRead = bytesRead
    }

    /// The benchmark's own peak so far. As a program starts in the memory of the one that starts it, the kernel
    /// takes it for the least peak of everything that the benchmark starts.
    static var ownPeakBytes: Int64 {
        var resources = rusage()
        getrusage(RUSAGE_SELF.rawValue, &resources)
        return Int64(resources.ru_maxrss) * 1_024
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
