/// How long the app's inserts took in some time.
struct AppWaits: Codable, Equatable {
    let inserts: Int
    /// Inserts that failed as the store was busy.
    let refused: Int
    let longestMilliseconds: Double
    /// 99 of 100 took no longer.
    let p99Milliseconds: Double

    /// Of the inserts that were under way between the two instants.
    init(_ all: [Insert], from start: Int64, until end: Int64) {
        let inserts = all.filter { $0.end >= start && $0.start <= end }
        let waits = inserts.map { Double($0.nanoseconds) / 1e6 }.sorted()
        self.inserts = inserts.count
        refused = inserts.count { $0.isRefused }
        longestMilliseconds = waits.last ?? 0
        p99Milliseconds = waits.isEmpty ? 0 : waits[(waits.count * 99 + 99) / 100 - 1]
    }
}
