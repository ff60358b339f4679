import Foundation
import Retention

/// Random times in a column of some format, with their meaning.
package struct RandomTimes {
    let format: TimeFormat
    /// Whether all values are numbers or NULL.
    var isPortable = false

    static let formats: [TimeFormat] = [
        TimeFormat(.seconds), TimeFormat(.milliseconds), TimeFormat(.realSeconds),
        TimeFormat(.realSeconds, since: .coreData), TimeFormat(.seconds, since: .coreData),
        TimeFormat(.microseconds, since: .chromium), TimeFormat(.iso8601),
    ]

    /// The start of all runs: 2026-11-20T12:00:00Z.
    package static let start: Int64 = 1_795_176_000
    /// Thirty days before it.
    package static let cutoff: Int64 = start - 30 * 86_400

    /// A value as SQL, and the microseconds since 1970 that it means; nil when it means none.
    func next(using generator: inout SeededGenerator) -> (sql: String, micros: Int64?) {
        let kind = Int.random(in: 0..<10, using: &generator)
        if kind == 0 {
            let none = isPortable ? ["NULL", "7", "-1"] : ["NULL", "7", "x'31'", "'soon'", "-1"]
            return (none.randomElement(using: &generator) ?? "NULL", nil)
        }
        let second =
            switch kind {
            case 1: Self.cutoff + Int64.random(in: -1...1, using: &generator)
            case 2: Self.start + Int64.random(in: -1...90_000, using: &generator)
            default: Self.start - Int64.random(in: 0...(80 * 86_400), using: &generator)
            }
        let millis = Int64([0, 0, 250, 500].randomElement(using: &generator) ?? 0)
        return write(second, millis, using: &generator)
    }

    private func write(
        _ second: Int64, _ millis: Int64, using generator: inout SeededGenerator
    ) -> (sql: String, micros: Int64?) {
        let zero: Int64 =
            switch format.epoch {
            case .unix: 0
            case .coreData: 978_307_200
            case .chromium: -11_644_473_600
            }
        let (since, exact) = (second - zero, second * 1_000_000 + millis * 1_000)
        return switch format.unit {
        case .seconds: ("\(since)", second * 1_000_000)
        case .milliseconds: ("\(since * 1_000 + millis)", exact)
        case .microseconds: ("\(since * 1_000_000 + millis * 1_000)", exact)
        case .nanoseconds: ("\(since * 1_000_000_000)", second * 1_000_000)
        case .realSeconds: millis == 0 ? ("\(since)", exact) : ("\(since).\(millis)", exact)
        case .iso8601: text(second, millis, using: &generator)
        }
    }

    private func text(
        _ second: Int64, _ millis: Int64, using generator: inout SeededGenerator
    ) -> (sql: String, micros: Int64?) {
        func written(_ second: Int64) -> String {
            Date(timeIntervalSince1970: Double(second)).formatted(.iso8601)  // 2026-11-20T12:00:00Z
        }
        let plain = written(second).dropLast()
        let exact = second * 1_000_000
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: return ("'\(plain)Z'", exact)
        case 1: return ("'\(plain.replacing("T", with: " "))'", exact)
        case 2: return ("'\(plain).\(millis == 0 ? "000" : "\(millis)")Z'", exact + millis * 1_000)
        case 3: return ("'\(written(second + 7_200).dropLast())+02:00'", exact)
        case 4:
            // A date alone means the end of its day.
            let day = second - second % 86_400
            return ("'\(plain.prefix(10))'", (day + 86_400) * 1_000_000 - 1)
        default:
            return (
                ["'2026-02-30'", "'2026-01-01 24:00'", "'12:00'", "'2026-1-1'", "1795176000"].randomElement(
                    using: &generator) ?? "''", nil
            )
        }
    }
}
