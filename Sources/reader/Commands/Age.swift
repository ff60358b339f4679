import ArgumentParser
import Foundation

/// A span of time on the command line: an integer and a unit. Days and longer are calendar units.
struct Age: ExpressibleByArgument {
    let count: Int
    let unit: Calendar.Component

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int(digits), (1...1_000_000).contains(count),
            let unit = Self.units[String(argument.dropFirst(digits.count))]
        else { return nil }
        self.count = count
        self.unit = unit
    }

    private static let units: [String: Calendar.Component] = [
        "s": .second, "min": .minute, "h": .hour, "d": .day, "w": .weekOfYear, "month": .month, "y": .year,
    ]

    func before(_ date: Date) -> Date {
        Calendar.current.date(byAdding: unit, value: -count, to: date) ?? .distantPast
    }
}
