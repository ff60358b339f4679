/// The numbers of a state file, which others may have written. A time or a sum that nothing here can have meant would end
/// the program where it is reckoned with: such a file counts as damaged.
enum StoredNumbers {
    /// A quadrillion rows, bytes, or milliseconds (thirty thousand years).
    private static let mostDigits = 15

    /// Whether no number in this JSON has more digits before its point, or an exponent that makes it larger.
    static func areBounded(_ json: some Sequence<UInt8>) -> Bool {
        var (isText, isEscaped) = (false, false)
        // Of the number that is being read: its digits before the point, whether that is past, and an exponent begun.
        var (digits, isFraction, isExponent) = (0, false, false)
        for byte in json {
            if isText {
                isText = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            if isExponent, byte != UInt8(ascii: "-") { return false }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits += isFraction ? 0 : 1
                if digits > mostDigits { return false }
            case UInt8(ascii: "."): isFraction = true
            // "true" and "false" have no digits before theirs.
            case UInt8(ascii: "e"), UInt8(ascii: "E"): isExponent = digits > 0
            case UInt8(ascii: "-") where isExponent: (isExponent, isFraction) = (false, true)
            default: (digits, isFraction, isText) = (0, false, byte == UInt8(ascii: "\""))
            }
        }
        return true
    }
}
