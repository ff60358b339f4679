/// What a load saw: how long each change took its app, from asking for it until it was committed.
struct LoadReport: Encodable {
    let writes: Int
    let seconds: Double
    let median_wait_ms: Double
    let longest_wait_ms: Double

    init(waits: [Duration], time: Duration) {
        let sorted = waits.sorted()
        writes = sorted.count
        seconds = time / .seconds(1)
        median_wait_ms = sorted.isEmpty ? 0 : Self.milliseconds(sorted[sorted.count / 2])
        longest_wait_ms = sorted.last.map(Self.milliseconds) ?? 0
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        (duration / .microseconds(10)).rounded() / 100
    }
}

extension LoadReport: CustomStringConvertible {
    var description: String {
        let rounded = (seconds * 10).rounded() / 10
        return "\(writes.counted("write")) in \(rounded) s, "
            + "each in \(median_wait_ms) ms (median), the longest in \(longest_wait_ms) ms"
    }
}
