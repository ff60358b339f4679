import FoundationEssentials
import Retention

extension Date {
    /// The time in `timeZone`, such as `2026-11-21 13:05:00`.
    func local(in timeZone: Zone) -> String {
        WallClock(at: self, in: timeZone).description
    }
}

extension Date {
    /// The minute, such as `11-21 13:05`. If the date is half a year or more from `now`, the day, such as `2025-03-01`.
    /// This is the format of `ls --time-style=iso`.
    func short(in timeZone: Zone, now: Date) -> String {
        let text = local(in: timeZone)
        let isNear = abs(timeIntervalSince(now)) < 182 * 86_400
        return String(isNear ? text.dropFirst(5).dropLast(3) : text.prefix(10))
    }
}

extension Duration {
    /// The duration as text: "4.1 ms", "2.5 s", "3 min 20 s".
    var text: String {
        let seconds = self / .seconds(1)
        switch seconds {
        case ..<1: return Self.tenths(seconds * 1_000) + " ms"
        case ..<60: return Self.tenths(seconds) + " s"
        default: return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
        }
    }

    /// The duration in its two largest units: "49 s", "3 h 1 min", "12 d 4 h".
    var roughText: String {
        let seconds = max(0, Int(self / .seconds(1)))
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"),
            (seconds % 60, "s"),
        ]
        let told = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return told.isEmpty ? "0 s" : told.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    private static func tenths(_ value: Double) -> String {
        "\((value * 10).rounded() / 10)"
    }
}
