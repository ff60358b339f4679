import Foundation

/// Refuses documents in which an element has attributes without end.
///
/// libxml2 compares each attribute with all others of its element: ten megabytes of them keep it busy for hours.
/// This looks for the tags by itself, and is only sure of those in whole documents; in others libxml2 gives up there.
enum AttributeGuard {
    /// More than any element has that was written to be read.
    static let limit = 1000

    static func check(_ text: Data) throws(ReadingFailure) {
        let isRefused = text.withUnsafeBytes { bytes in
            var count = 0
            var isTag = false
            var quote: UInt8?
            for (index, byte) in bytes.enumerated() {
                if byte == UInt8(ascii: "<") {
                    // It stands in no attribute: whatever came before, a tag may begin here.
                    isTag = index + 1 < bytes.count && beginsName(bytes[index + 1])
                    (count, quote) = (0, nil)
                } else if !isTag {
                    continue
                } else if let open = quote {
                    if byte == open { quote = nil }
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                    count += 1
                    if count > limit { return true }
                } else if byte == UInt8(ascii: ">") {
                    isTag = false
                }
            }
            return false
        }
        if isRefused { throw .malformed("an element of it has more than \(limit) attributes") }
    }

    private static func beginsName(_ byte: UInt8) -> Bool {
        ![UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "/")].contains(byte)
    }
}
