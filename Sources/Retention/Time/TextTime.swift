import FoundationEssentials

/// A time written as text, as in ISO 8601: `2026-11-23`, `2026-11-23 09:30`, `2026-11-23T09:30:00.5+01:00`.
///
/// A date, then `T` or a blank and a time of day with optional seconds and fraction, then `Z`, `±hh:mm`, `±hhmm` or
/// nothing. Anything else is not a time. SQLite's own functions accept much more, such as the 31st of February.
package enum TextTime {
    /// The instant that `text` means, in Unix microseconds; nil when it is not a time.
    ///
    /// A date alone means the end of its day. A text without an offset is read in `zone`; where a clock change repeats a
    /// time of day, it means the latest instant. Digits after the sixth of a fraction are cut off.
    package static func microseconds(_ text: UnsafeRawBufferPointer, in zone: Zone?) -> Int64? {
        var reader = Reader(text)
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), year >= 1
        else { return nil }
        let date = CivilDate(year: year, month: Int(month), day: Int(day))
        guard date.exists else { return nil }
        if reader.isAtEnd { return end(of: date, in: zone) }
        var (seconds, micros) = (date.daysSince1970 * 86_400, Int64(0))
        guard reader.take("T") || reader.take(" "), let hour = reader.number(2), hour < 24, reader.take(":"),
            let minute = reader.number(2), minute < 60
        else { return nil }
        seconds += hour * 3_600 + minute * 60
        if reader.take(":") {
            guard let second = reader.number(2), second < 60 else { return nil }
            seconds += second
            if reader.take(".") {
                guard let fraction = reader.fraction() else { return nil }
                micros = fraction
            }
        }
        guard !reader.isAtEnd else { return instant(seconds, in: zone).map { $0 * 1_000_000 + micros } }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        return (seconds - offset) * 1_000_000 + micros
    }

    /// The last microsecond of a day.
    static func end(of date: CivilDate, in zone: Zone?) -> Int64? {
        instant(date.daysSince1970 * 86_400 + 86_399, in: zone).map { $0 * 1_000_000 + 999_999 }
    }

    /// The latest Unix second at which clocks in `zone` show `reading`, in seconds as if they showed UTC. A time that a
    /// clock change skipped is read with the offset that makes it the latest.
    static func instant(_ reading: Int64, in zone: Zone?) -> Int64? {
        guard let zone else { return reading }
        let offsets = [Int64(-86_400), 86_400].map { near in
            Int64(zone.offset(at: Date(timeIntervalSince1970: Double(reading + near))))
        }
        let shown = offsets.filter { offset in
            Int64(zone.offset(at: Date(timeIntervalSince1970: Double(reading - offset)))) == offset
        }
        // The least offset gives the latest instant.
        return (shown.isEmpty ? offsets : shown).min().map { reading - $0 }
    }

    struct Reader {
        private let bytes: UnsafeRawBufferPointer
        private var position = 0

        init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

        var isAtEnd: Bool { position == bytes.count }

        mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
            position += 1
            return true
        }

        /// A number of exactly `digits` digits.
        mutating func number(_ digits: Int) -> Int64? {
            guard position + digits <= bytes.count else { return nil }
            var number: Int64 = 0
            for byte in bytes[position..<position + digits] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                number = number * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            position += digits
            return number
        }

        /// The number of blanks.
        mutating func blanks() -> Int {
            let start = position
            while take(" ") {}
            return position - start
        }

        /// All up to a blank or the end.
        mutating func word() -> Substring {
            let rest = bytes[position...].prefix { $0 > UInt8(ascii: " ") && $0 < 0x7F }
            position += rest.count
            return Substring(decoding: rest, as: UTF8.self)
        }

        /// One digit or more after a point, in microseconds.
        mutating func fraction() -> Int64? {
            var (micros, digits) = (Int64(0), 0)
            while let digit = number(1) {
                if digits < 6 { micros = micros * 10 + digit }
                digits += 1
            }
            guard digits > 0 else { return nil }
            for _ in digits..<max(6, digits) { micros *= 10 }
            return micros
        }

        /// `Z` or an offset, in seconds east of UTC.
        mutating func offset() -> Int64? {
            if take("Z") { return 0 }
            let sign: Int64
            if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
            guard let hours = number(2), hours < 24 else { return nil }
            _ = take(":")
            guard let minutes = number(2), minutes < 60 else { return nil }
            return sign * (hours * 3_600 + minutes * 60)
        }
    }
}
