/// A day of the proleptic Gregorian calendar.
///
/// The conversions are Howard Hinnant's: "chrono-Compatible Low-Level Date Algorithms",
/// howardhinnant.github.io/date_algorithms.html. They count years from March, so that the leap day is the last day of a
/// year, and group them into eras of 400 years with 146,097 days each.
package struct CivilDate: Hashable, Sendable {
    /// The year; 0 is the year before 1.
    package let year: Int64
    /// From 1.
    package let month: Int
    /// From 1.
    package let day: Int

    /// The day must exist in the calendar.
    package init(year: Int64, month: Int, day: Int) {
        (self.year, self.month, self.day) = (year, month, day)
    }

    package init(daysSince1970 days: Int64) {
        let days = days + Self.daysBefore1970
        let era = days.floorDivided(by: Self.daysOfEra)
        let dayOfEra = days - era * Self.daysOfEra
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    package var daysSince1970: Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year.floorDivided(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysOfEra + dayOfEra - Self.daysBefore1970
    }

    /// The date `months` later. If that month is too short, its last day.
    package func adding(months: Int64) -> CivilDate {
        let total = year * 12 + Int64(month - 1) + months
        let (year, month) = (total.floorDivided(by: 12), Int(total.floorRemainder(by: 12)) + 1)
        return CivilDate(year: year, month: month, day: min(day, Int(Self.days(in: month, of: year))))
    }

    /// Whether the calendar has this day.
    package var exists: Bool {
        (1...12).contains(month) && day >= 1 && day <= Self.days(in: month, of: year)
    }

    static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    static func days(in month: Int, of year: Int64) -> Int64 {
        month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    private static let daysOfEra: Int64 = 146_097
    /// The days from March 1 of the year 0 to 1970.
    private static let daysBefore1970: Int64 = 719_468
}

extension CivilDate: CustomStringConvertible {
    /// For example `2026-11-21`.
    package var description: String {
        "\(year.padded(to: 4))-\(Int64(month).padded(to: 2))-\(Int64(day).padded(to: 2))"
    }
}

extension SignedInteger {
    func floorDivided(by divisor: Self) -> Self {
        self >= 0 ? self / divisor : (self + 1) / divisor - 1
    }
}

extension Int64 {
    func floorRemainder(by divisor: Int64) -> Int64 { self - floorDivided(by: divisor) * divisor }

    /// Padded with leading zeros.
    func padded(to width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.count))
            + digits
    }
}
