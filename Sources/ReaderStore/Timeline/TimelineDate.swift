import Foundation

/// Parses a time in the API's format, "Wed Oct 10 20:19:24 +0000 2018", or in ISO 8601, "2018-10-10T20:19:24Z". The
/// whole text must match, and the day must exist. Foundation's parsers accept any text after the time, and take
/// February 31 for March 3.
struct TimelineDate {
    let date: Date

    init?(_ text: String) {
        let text = Array(text.utf8)
        guard let date = Self.apiForm(text) ?? Self.iso8601(text) else { return nil }
        self.date = date
    }

    private static func apiForm(_ text: [UInt8]) -> Date? {
        guard has(text, "___ ___ __ __:__:__ _____ ____"), days.contains(word(text[0..<3])),
            let month = months.firstIndex(of: word(text[4..<7])),
            let second = second(
                number(text[26..<30]), month + 1, number(text[8..<10]), time: text[11..<19]),
            let offset = offset(text[20..<25])
        else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(second - offset))
    }

    private static let days: Set = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func iso8601(_ text: [UInt8]) -> Date? {
        guard text.count > 19, has(Array(text[..<19]), "____-__-__T__:__:__"),
            let second = second(
                number(text[0..<4]), number(text[5..<7]), number(text[8..<10]), time: text[11..<19])
        else { return nil }
        var rest = text[19...]
        var fraction = 0.0
        if rest.first == UInt8(ascii: ".") {
            let digits = rest.dropFirst().prefix(while: isDigit)
            guard !digits.isEmpty, let value = TimeInterval("0." + word(digits)) else { return nil }
            (fraction, rest) = (value, rest.dropFirst(1 + digits.count))
        }
        guard let offset = rest.elementsEqual("Z".utf8) ? 0 : offset(rest) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(second - offset) + fraction)
    }

    /// Whether the text matches the form, in which `_` stands for any character.
    private static func has(_ text: [UInt8], _ form: String) -> Bool {
        text.count == form.utf8.count
            && zip(text, form.utf8).allSatisfy { $1 == UInt8(ascii: "_") || $0 == $1 }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func word(_ text: ArraySlice<UInt8>) -> String { String(decoding: text, as: UTF8.self) }

    private static func number(_ text: ArraySlice<UInt8>) -> Int? {
        text.allSatisfy(isDigit) ? Int(word(text)) : nil
    }

    /// The Unix second of a date and time in UTC. `time` is like 20:19:24.
    private static func second(_ year: Int?, _ month: Int?, _ day: Int?, time: ArraySlice<UInt8>) -> Int? {
        guard let year, let month, let day, let hour = number(time.prefix(2)), hour < 24,
            let minute = number(time.dropFirst(3).prefix(2)), minute < 60,
            let second = number(time.suffix(2)), second < 60
        else { return nil }
        var broken = tm()
        (broken.tm_year, broken.tm_mon, broken.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        (broken.tm_hour, broken.tm_min, broken.tm_sec) = (Int32(hour), Int32(minute), Int32(second))
        let result = timegm(&broken)
        // timegm(3) replaces a day that does not exist with another one.
        return broken.tm_mon == month - 1 && broken.tm_mday == day ? result : nil
    }

    /// Parses +0200 or +02:00. Returns seconds.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        let isColon = text.count == 6 && text[text.startIndex + 3] == UInt8(ascii: ":")
        guard isColon || text.count == 5, let sign = text.first,
            [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign),
            let hours = number(text.dropFirst().prefix(2)), let minutes = number(text.suffix(2)),
            hours < 24, minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -60 : 60) * (hours * 60 + minutes)
    }
}
