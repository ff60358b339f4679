/// A part of the benchmark: the measurement of one or more rows of the targets.
protocol Case: Sendable {
    /// The rows of the targets that it measures.
    var rows: [String] { get }

    /// Measures what the rows among `wanted` need.
    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding]
}

/// All parts, in the order of the rows.
let allCases: [any Case] = [
    HalfExpired(ids: .followingTime), HalfExpired(ids: .random), OnePercentExpired(), NothingExpired(),
    StaleFeeds(), BusyStore(), PinnedLog(), Growth(), Reclaiming(), IdleService(),
    Archiving(), Planning(), Showing(), TenthExpired(),
    ImpatientApp(),
]
