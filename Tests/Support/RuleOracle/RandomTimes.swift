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
        TimeFormat(.microseconds, since: .chromium), TimeFormat(.iso8601), TimeFormat(.minutes),
        TimeFormat(.hours), TimeFormat(.days), TimeFormat(.ticks), TimeFormat(.ticks, since: .unix),
        TimeFormat(.fileTime), TimeFormat(.snowflake, since: .discord),
        TimeFormat(.snowflake, since: .twitter),
        TimeFormat(.julianDays), TimeFormat(.dayDigits), TimeFormat(.rfc2822), TimeFormat(.goText),
        TimeFormat(.numberText), TimeFormat(.uuid7), TimeFormat(.ulid),
    ]

    /// The start of all runs: 2026-11-20T12:00:00Z.
    package static let start: Int64 = 1_795_176_000
    /// Thirty days before it.
    package static let cutoff: Int64 = start - 30 * 86_400

    /// A value as SQL, and the microseconds since 1970 that it means; nil when it means none.
    func next(using generator: inout SeededGenerator) -> (sql: String, micros: Int64?) {
        let kind = Int.random(in: 0..<10, using: &generator)
        if kind == 0 {
            let none =
                format.unit == .dayDigits
                ? ["NULL", "7", "-1", "20260231", "20261301"]
                : isPortable ? ["NULL", "7", "-1"] : ["NULL", "7", "x'31'", "'soon'", "-1"]
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
            case .coreData: 978_307_200
            case .chromium: -11_644_473_600
            case .dotnet: -62_135_596_800
            default: 0
            }
        /// The end of a unit of more than a second.
        func counted(_ seconds: Int64) -> (sql: String, micros: Int64?) {
            let number = since / seconds
            return ("\(number)", (number + 1) * seconds * 1_000_000 - 1)
        }
        let (since, exact) = (second - zero, second * 1_000_000 + millis * 1_000)
        return switch format.unit {
        case .seconds: ("\(since)", second * 1_000_000)
        case .milliseconds: ("\(since * 1_000 + millis)", exact)
        case .microseconds: ("\(since * 1_000_000 + millis * 1_000)", exact)
        case .nanoseconds: ("\(since * 1_000_000_000)", second * 1_000_000)
        case .realSeconds: millis == 0 ? ("\(since)", exact) : ("\(since).\(millis)", exact)
        case .iso8601: text(second, millis, using: &generator)
        case .minutes: counted(60)
        case .hours: counted(3_600)
        case .days: counted(86_400)
        case .ticks, .fileTime: ("\(since * 10_000_000 + millis * 10_000)", exact)
        case .snowflake:
            (
                "\((second * 1_000 + millis - (format.epoch == .discord ? 1_420_070_400_000 : 1_288_834_974_657)) << 22 + 77)",
                exact
            )
        case .julianDays: ("\(Double(second + 210_866_760_000) / 86_400)", second * 1_000_000)
        case .dayDigits, .rfc2822, .goText, .numberText, .uuid7, .ulid: other(second, millis)
        }
    }

    /// Texts of one form only.
    private func other(_ second: Int64, _ millis: Int64) -> (sql: String, micros: Int64?) {
        let plain = Date(timeIntervalSince1970: Double(second)).formatted(.iso8601).dropLast()
        let exact = second * 1_000_000 + millis * 1_000
        let (day, time) = (plain.prefix(10), plain.suffix(8))
        let fraction = millis == 0 ? "" : ".\(millis)"
        switch format.unit {
        case .dayDigits:
            let digits = day.replacing("-", with: "")
            let end = (second - second % 86_400 + 86_400) * 1_000_000 - 1
            return (isPortable || millis == 0 ? String(digits) : "'\(digits)'", end)
        case .rfc2822:
            let month = ["Aug", "Sep", "Oct", "Nov"][(Int(day.dropFirst(5).prefix(2)) ?? 8) - 8]
            return (
                "'\(millis == 0 ? "Fri, " : "")\(day.suffix(2)) \(month) 2026 \(time) GMT'",
                second * 1_000_000
            )
        case .goText:
            return ("'\(day) \(time)\(fraction) +0000 UTC\(millis == 0 ? " m=+1.5" : "")'", exact)
        case .numberText: return ("'\(second)\(fraction)'", exact)
        case .uuid7:
            let digits = String(second * 1_000 + millis, radix: 16)
            return ("'0\(digits.prefix(7))-\(digits.dropFirst(7))-7abc-8def-0123456789ab'", exact)
        default:
            let base32 = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
            let digits = (0..<10).map { base32[Int((second * 1_000 + millis) >> (45 - 5 * Int64($0)) & 31)] }
            return ("'\(String(digits))0123456789ABCDEF'", exact)
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
