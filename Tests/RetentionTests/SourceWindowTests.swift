import Retention
import Testing

struct SourceWindowTests {
    @Test(
        "a span is surely longer than another when its shortest is longer than the other's longest",
        arguments: [
            ("15d", "14d", true), ("14d", "14d", false), ("13d", "14d", false),
            ("2w 1d", "2w", true), ("14d", "2w", false),
            ("61min", "1h", true), ("60min", "1h", false), ("1001ms", "1s", true),
            // A clock change gives a day an hour, or takes one from it.
            ("25h", "1d", false), ("25h 1ms", "1d", true), ("1d", "23h", false), ("1d", "22h 59min", true),
            // February, and months of 31 days.
            ("1month", "30d", false), ("1month", "28d", false), ("1month", "27d", true),
            ("31d", "1month", false), ("32d", "1month", true), ("2month", "1month", true),
            ("1month", "1w", true), ("3month", "88d", true), ("3month", "89d", false),
            // Leap years.
            ("1y", "11month", true), ("1y", "12month", false), ("12month", "1y", false),
            ("13month", "1y", true),
            ("1y", "365d", false), ("366d", "1y", false), ("367d", "1y", true), ("2y", "1y", true),
            ("1000y", "999y", false), ("1000y", "900y", true),
        ])
    func isSurelyLonger(keep: String, window: String, isLonger: Bool) throws {
        #expect(try Span(parsing: keep).isSurelyLonger(than: Span(parsing: window)) == isLonger)
    }
}
