import Conditions
import Retention
import TerminalText

extension Literal {
    /// As MariaDB reads it. A text is one that code points compare.
    func sql(as type: TypeClass) -> String {
        switch self {
        case .null: "NULL"
        case .integer(let number): type == .real ? Self.real("\(number)") : "\(number)"
        case .decimal(let number): type == .real ? Self.real(number) : Self.exact(number)
        case .text(let text) where type == .uuid: "CAST(\(text.quoted("'")) AS UUID)"
        case .text(let text): "\(text.quoted("'")) COLLATE \(TextCollation.codePoints)"
        case .boolean(let truth): truth ? "TRUE" : "FALSE"
        }
    }

    /// A time in microseconds since 1970, as SQL. The first and the last that MariaDB has stand for all
    /// beyond.
    var microseconds: String {
        guard case .text(let text) = self else { return "NULL" }
        // A day alone is its start here, and an offset may have hours alone.
        let forms = text.utf8.count == 10 ? ["\(text) 00:00"] : [text, "\(text):00"]
        let found = forms.lazy.compactMap { form in
            Array(form.utf8).withUnsafeBytes { TextTime.microseconds($0, in: nil) }
        }.first
        return found.map { "\(min(max($0, -62_135_596_800_000_000), 253_402_300_799_999_999))" } ?? "NULL"
    }

    /// With an exponent: otherwise it would be exact.
    private static func real(_ number: String) -> String {
        let written = "\(Double(number) ?? 0)"
        return written.contains("e") ? written : written + "e0"
    }

    /// Without an exponent, which would make it a real number.
    private static func exact(_ number: String) -> String {
        let parts = number.split(separator: "e")
        guard parts.count == 2, let exponent = Int(parts[1]) else { return number }
        let sign = number.hasPrefix("-") ? "-" : ""
        let digits = parts[0].filter(\.isNumber)
        let whole = parts[0].drop { $0 == "-" }.prefix { $0 != "." }.count
        // No column has more digits than this on either side of the point.
        let point = min(max(whole + exponent, -65), 65)
        let zeros = { (count: Int) in String(repeating: "0", count: max(0, count)) }
        let all = zeros(1 - point) + digits + zeros(point - digits.count)
        return "\(sign)\(all.prefix(max(1, point))).\(all.dropFirst(max(1, point)))0"
    }
}
