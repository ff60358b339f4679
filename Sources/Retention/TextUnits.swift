/// Times in the other units of text.
extension TextTime {
    /// The instant that `text` means in `unit`, in Unix microseconds; nil when it is not a time.
    package static func microseconds(
        _ text: UnsafeRawBufferPointer, as unit: TimeUnit, in zone: Zone?
    ) -> Int64? {
        var reader = Reader(text)
        return switch unit {
        case .iso8601: microseconds(text, in: zone)
        case .dayDigits: day(&reader, in: zone)
        case .rfc2822: mail(&reader)
        case .goText: go(&reader)
        case .numberText: number(&reader)
        case .uuid7: uuid7(&reader)
        case .ulid: ulid(&reader)
        default: nil
        }
    }

    /// The same of a text that a program holds.
    package static func microseconds(_ text: String, as unit: TimeUnit, in zone: Zone?) -> Int64? {
        var copy = text
        return copy.withUTF8 { microseconds(UnsafeRawBufferPointer($0), as: unit, in: zone) }
    }

    /// `20261123`: the end of that day.
    private static func day(_ reader: inout Reader, in zone: Zone?) -> Int64? {
        guard let year = reader.number(4), let month = reader.number(2), let day = reader.number(2),
            reader.isAtEnd, year >= 1
        else { return nil }
        let date = CivilDate(year: year, month: Int(month), day: Int(day))
        return date.exists ? end(of: date, in: zone) : nil
    }

    /// `[Mon, ]23 Nov 2026 09:30[:00] +0100`. Years of two digits, comments and zones without a fixed offset are none.
    private static func mail(_ reader: inout Reader) -> Int64? {
        var word = reader.word()
        if word.last == "," {
            guard weekdays.contains(word.dropLast()), reader.blanks() > 0 else { return nil }
            word = reader.word()
        }
        guard (1...2).contains(word.count), word.utf8.allSatisfy({ (48...57).contains($0) }),
            let day = Int(word), reader.blanks() > 0, let month = months.firstIndex(of: reader.word()),
            reader.blanks() > 0, let year = reader.number(4), reader.blanks() > 0
        else { return nil }
        let date = CivilDate(year: year, month: month + 1, day: day)
        guard date.exists, year >= 1, let seconds = timeOfDay(&reader), reader.blanks() > 0 else {
            return nil
        }
        var zone = reader
        let name = String(reader.word())
        let offset = zones[name].map { $0 * 3_600 } ?? (name == "Z" ? nil : zone.offset())
        guard let offset, zones[name] != nil || zone.isAtEnd, reader.isAtEnd else { return nil }
        return (date.daysSince1970 * 86_400 + seconds - offset) * 1_000_000
    }

    private static func timeOfDay(_ reader: inout Reader) -> Int64? {
        guard let hour = reader.number(2), hour < 24, reader.take(":"), let minute = reader.number(2),
            minute < 60
        else { return nil }
        guard reader.take(":") else { return hour * 3_600 + minute * 60 }
        guard let second = reader.number(2), second < 60 else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    private static let weekdays: Set<Substring> = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// The zones with a name that RFC 2822 knows, in hours.
    private static let zones: [String: Int64] = [
        "GMT": 0, "UT": 0, "UTC": 0, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6,
        "PST": -8, "PDT": -7,
    ]

    /// `2026-11-23 09:30:00.123 +0100 CET`, and perhaps ` m=+0.001`, the reading of another clock.
    private static func go(_ reader: inout Reader) -> Int64? {
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take(" "), year >= 1
        else { return nil }
        let date = CivilDate(year: year, month: Int(month), day: Int(day))
        guard date.exists, let seconds = timeOfDay(&reader) else { return nil }
        var micros: Int64 = 0
        if reader.take(".") {
            guard let fraction = reader.fraction() else { return nil }
            micros = fraction
        }
        guard reader.take(" "), let offset = reader.offset(), reader.take(" "), !reader.word().isEmpty else {
            return nil
        }
        if reader.take(" ") {
            guard reader.take("m"), reader.take("="), reader.take("+") || reader.take("-"),
                reader.word().utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 })
            else { return nil }
        }
        guard reader.isAtEnd else { return nil }
        return (date.daysSince1970 * 86_400 + seconds - offset) * 1_000_000 + micros
    }

    /// Seconds since 1970, with or without a fraction.
    private static func number(_ reader: inout Reader) -> Int64? {
        guard var seconds = reader.number(1) else { return nil }
        while let digit = reader.number(1) {
            seconds = seconds * 10 + digit
            guard seconds < 1_000_000_000_000 else { return nil }
        }
        var micros: Int64 = 0
        if reader.take(".") {
            guard let fraction = reader.fraction() else { return nil }
            micros = fraction
        }
        return reader.isAtEnd ? seconds * 1_000_000 + micros : nil
    }

    /// The milliseconds of a UUID of version 7, with hyphens or without.
    private static func uuid7(_ reader: inout Reader) -> Int64? {
        var digits: [UInt8] = []
        let word = reader.word()
        for (place, byte) in word.utf8.enumerated() {
            if word.utf8.count == 36, [8, 13, 18, 23].contains(place) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = value(byte, in: hexadecimal) else { return nil }
                digits.append(digit)
            }
        }
        // The version, and the variant.
        guard digits.count == 32, reader.isAtEnd, digits[12] == 7, digits[16] & 0b1100 == 0b1000 else {
            return nil
        }
        return digits.prefix(12).reduce(0) { $0 << 4 | Int64($1) } * 1_000
    }

    /// The milliseconds of a ULID.
    private static func ulid(_ reader: inout Reader) -> Int64? {
        let digits = reader.word().utf8.map { value($0, in: base32) }
        guard digits.count == 26, reader.isAtEnd, !digits.contains(nil) else { return nil }
        let millis = digits.prefix(10).reduce(0) { $0 << 5 | Int64($1 ?? 0) }
        return millis < 1 << 48 ? millis * 1_000 : nil
    }

    private static func value(_ byte: UInt8, in digits: [UInt8]) -> UInt8? {
        digits.firstIndex(of: (97...122).contains(byte) ? byte - 32 : byte).map(UInt8.init)
    }

    private static let hexadecimal = Array("0123456789ABCDEF".utf8)
    private static let base32 = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
}
