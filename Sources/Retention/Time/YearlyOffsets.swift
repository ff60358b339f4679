/// The offsets of a time zone with the same clock changes every year, or none. The format is that of the TZ variable
/// (POSIX, Base Definitions, 8.3, with the extensions of RFC 9636), such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct YearlyOffsets: Codable, Hashable, Sendable {
    /// The time of a year at which the clocks change.
    fileprivate struct Change: Codable, Hashable {
        enum Day: Codable, Hashable {
            /// Day 1...365; February 29 is not counted.
            case ofCommonYear(Int)
            /// Day 0...365; February 29 is counted.
            case ofYear(Int)
            /// The week is 1...5, and 5 means the last. The weekday is 0...6, and 0 is Sunday.
            case ofMonth(Int, week: Int, weekday: Int)
        }

        let day: Day
        /// Seconds from the day's midnight, by the clock before the change.
        let time: Int
    }

    fileprivate struct Summer: Codable, Hashable {
        let offset: Int
        let start, end: Change
    }

    private let standard: Int
    private let summer: Summer?

    /// Nil when the text has another format.
    init?(_ text: String) {
        var reader = Reader(text.utf8[...])
        guard reader.name(), let offset = reader.time(hours: 24) else { return nil }
        standard = -offset
        guard !reader.isAtEnd else {
            summer = nil
            return
        }
        guard reader.name() else { return nil }
        // In this format, an offset is added to local time to get UTC.
        let ahead = reader.isAt(",") ? standard + 3_600 : reader.time(hours: 24).map { -$0 }
        guard let ahead, let start = reader.change(), let end = reader.change(), reader.isAtEnd else {
            return nil
        }
        summer = Summer(offset: ahead, start: start, end: end)
    }

    /// The offset from UTC in seconds at a Unix time.
    func offset(at time: Int64) -> Int {
        guard let summer else { return standard }
        // Clamped to about a million years, to avoid overflow.
        let near = min(max(time, -30_000_000_000_000), 30_000_000_000_000)
        let year = CivilDate(daysSince1970: (near + Int64(standard)).floorDivided(by: 86_400)).year
        let start = summer.start.seconds(in: year) - Int64(standard)
        let end = summer.end.seconds(in: year) - Int64(summer.offset)
        let isSummer = start < end ? start <= near && near < end : !(end <= near && near < start)
        return isSummer ? summer.offset : standard
    }
}

extension YearlyOffsets.Change {
    /// Seconds since 1970 by the local clock.
    fileprivate func seconds(in year: Int64) -> Int64 {
        let newYear = CivilDate(year: year, month: 1, day: 1).daysSince1970
        let day: Int64 =
            switch self.day {
            case .ofYear(let number): newYear + Int64(number)
            case .ofCommonYear(let number):
                newYear + Int64(number) - (number > 59 && CivilDate.isLeap(year) ? 0 : 1)
            case .ofMonth(let month, let week, let weekday):
                Self.day(of: weekday, week, month, year)
            }
        return day * 86_400 + Int64(time)
    }

    private static func day(of weekday: Int, _ week: Int, _ month: Int, _ year: Int64) -> Int64 {
        let first = CivilDate(year: year, month: month, day: 1).daysSince1970
        // 1970 began on a Thursday.
        let firstWeekday = (first + 4).floorRemainder(by: 7)
        let day = (Int64(weekday) - firstWeekday).floorRemainder(by: 7) + Int64(week - 1) * 7
        return first + (day < CivilDate.days(in: month, of: year) ? day : day - 7)
    }
}

extension YearlyOffsets {
    private struct Reader {
        private var rest: Substring.UTF8View

        init(_ text: Substring.UTF8View) { rest = text }

        var isAtEnd: Bool { rest.isEmpty }

        func isAt(_ character: Unicode.Scalar) -> Bool { rest.first == UInt8(ascii: character) }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard isAt(character) else { return false }
            rest.removeFirst()
            return true
        }

        /// Reads an abbreviation, of at least three letters or in `<>`.
        mutating func name() -> Bool {
            if skip("<") {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
                rest = rest[rest.index(after: end)...]
                return true
            }
            let letters = rest.prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
            rest = rest.dropFirst(letters.count)
            return letters.count >= 3
        }

        mutating func number(_ range: ClosedRange<Int>) -> Int? {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            return Int(Substring(digits)).flatMap { range.contains($0) ? $0 : nil }
        }

        /// Reads `[+-]hh[:mm[:ss]]`. Returns seconds.
        mutating func time(hours: Int) -> Int? {
            let sign = skip("-") ? -1 : 1
            if sign > 0 { _ = skip("+") }
            guard var time = number(0...hours).map({ $0 * 3_600 }) else { return nil }
            for unit in [60, 1] where skip(":") {
                guard let number = number(0...59) else { return nil }
                time += number * unit
            }
            return sign * time
        }

        /// Reads `,Mm.w.d[/time]`, or a day in another form.
        mutating func change() -> Change? {
            guard skip(","), let day = day() else { return nil }
            guard skip("/") else { return Change(day: day, time: 2 * 3_600) }
            return time(hours: 167).map { Change(day: day, time: $0) }
        }

        private mutating func day() -> Change.Day? {
            if skip("J") { return number(1...365).map { .ofCommonYear($0) } }
            guard skip("M") else { return number(0...365).map { .ofYear($0) } }
            guard let month = number(1...12), skip("."), let week = number(1...5), skip("."),
                let weekday = number(0...6)
            else { return nil }
            return .ofMonth(month, week: week, weekday: weekday)
        }
    }
}
