import Retention

/// The SQL by which servers read times in numbers and ids.
extension TimeFormat {
    /// The units of a server's integers, for a hint.
    package static let unitsOfIntegers = "s, ms, us, ns, min, h, d, ticks, filetime, snowflake or yyyymmdd"

    /// The Unix second of `sql`, a plausible integer. Integers are divided by `divide`, towards zero.
    package func second(of sql: String, dividing divide: String) -> String {
        if unit == .dayDigits {
            return "((\(julianDay(sql, divide)) - 2440588) * 86400 + 86399)"
        }
        if unit.perSecond > 1 {
            return "((\(sql) \(divide) \(unit.perSecond / 1_000) + (\(epoch.milliseconds))) \(divide) 1000)"
        }
        return unit.seconds == 1 && epoch == .unix
            ? sql : "(\(sql) * \(unit.seconds) + (\(epoch.milliseconds / 1_000 + unit.seconds - 1)))"
    }

    /// The Unix second of `sql`, a plausible number with a fraction, not rounded.
    package func second(ofReal sql: String) -> String {
        unit == .julianDays
            ? "\(sql) * 86400 + 0.00004 + (\(epoch.milliseconds / 1_000))"
            : "\(sql) + (\(epoch.milliseconds / 1_000))"
    }

    /// Whether the digits of an integer are those of a day that the calendar has.
    package func isDay(_ sql: String, dividing divide: String) -> String {
        let (year, month, day) = digits(sql, divide)
        let leap = "\(year) % 4 = 0 AND (\(year) % 100 <> 0 OR \(year) % 400 = 0)"
        return """
            (\(month) BETWEEN 1 AND 12 AND \(day) BETWEEN 1 AND CASE WHEN \(month) = 2 THEN \
            CASE WHEN \(leap) THEN 29 ELSE 28 END WHEN \(month) IN (4, 6, 9, 11) THEN 30 ELSE 31 END)
            """
    }

    private func digits(_ sql: String, _ divide: String) -> (year: String, month: String, day: String) {
        ("(\(sql) \(divide) 10000)", "(\(sql) \(divide) 100 % 100)", "(\(sql) % 100)")
    }

    /// By Fliegel and Van Flandern, "A Machine Algorithm for Processing Calendar Dates" (1968).
    private func julianDay(_ sql: String, _ divide: String) -> String {
        let (y, m, d) = digits(sql, divide)
        let turn = "((\(m) - 14) \(divide) 12)"
        return """
            ((1461 * (\(y) + 4800 + \(turn))) \(divide) 4 + (367 * (\(m) - 2 - 12 * \(turn))) \(divide) 12 \
            - (3 * ((\(y) + 4900 + \(turn)) \(divide) 100)) \(divide) 4 + \(d) - 32075)
            """
    }
}
