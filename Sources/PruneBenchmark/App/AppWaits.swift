/// One call of the app's to its store.
struct Call: Codable, Equatable {
    /// Nanoseconds of ``MonotonicClock``.
    let start: Int64
    let end: Int64
    /// Whether it failed as the store was busy.
    var isRefused = false
    /// Whether it only read.
    var isRead = false
}

/// How long the app's calls took in some time.
struct AppWaits: Codable, Equatable {
    let calls: Int
    /// Calls that failed as the store was busy.
    let refused: Int
    /// Of the calls, those that only read.
    let reads: Int
    /// Of the refused ones.
    let refusedReads: Int
    let medianMilliseconds: Double
    let longestMilliseconds: Double
    /// 99 of 100 took no longer.
    let p99Milliseconds: Double

    /// Of the calls that were under way between the two instants.
    init(_ all: [Call], from start: Int64, until end: Int64) {
        let calls = all.filter { $0.end >= start && $0.start <= end }
        let waits = calls.map { Double($0.end - $0.start) / 1e6 }.sorted()
        self.calls = calls.count
        refused = calls.count { $0.isRefused }
        reads = calls.count { $0.isRead }
        refusedReads = calls.count { $0.isRead && $0.isRefused }
        medianMilliseconds = waits.isEmpty ? 0 : waits.median
        longestMilliseconds = waits.last ?? 0
        p99Milliseconds = waits.isEmpty ? 0 : waits[(waits.count * 99 + 99) / 100 - 1]
    }
}
