extension Sequence<Double> {
    /// The middle one, or the mean of the two in the middle; not a number where there is none.
    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }

    /// The largest; not a number where there is none.
    var largest: Double { self.max() ?? .nan }
    /// The smallest; not a number where there is none.
    var smallest: Double { self.min() ?? .nan }
}

extension [Sample] {
    var wall: Double { map(\.usage.wallSeconds).median }
    var processor: Double { map(\.usage.processorSeconds).median }
    /// In millions of bytes.
    var peakMegabytes: Double { map { Double($0.usage.peakBytes) / 1e6 }.largest }
    /// The longest call of the app's in any of the runs, in milliseconds.
    var longestWait: Double { compactMap { $0.app?.longestMilliseconds }.largest }
    /// Those in which pruned gave up before everything was deleted.
    var unfinished: [Sample] { filter { $0.report.map { $0.outcome != "done" } ?? false } }
    /// The median of the runs' medians, in milliseconds.
    var medianWait: Double { compactMap { $0.app?.medianMilliseconds }.median }
    /// In milliseconds; the median of the runs.
    var p99Wait: Double { compactMap { $0.app?.p99Milliseconds }.median }
}
