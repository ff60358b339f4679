/// A size in bytes, written as a whole number and a unit: B, kB, MB or GB, each a thousand of the one before.
package struct ByteCount: Hashable, Sendable, CustomStringConvertible {
    /// At least 1.
    package let bytes: Int64

    private static let units: [(name: String, bytes: Int64)] = [
        ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("B", 1),
    ]

    /// So many bytes.
    package init(_ bytes: Int64) {
        self.bytes = bytes
    }

    /// Reads `500MB`, spaces allowed between; nil when the text is no size, is zero, or is more than a 64-bit integer
    /// holds.
    package init?(_ text: String) {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Int64(digits), let size = Self.units.first(where: { $0.name == unit })?.bytes
        else {
            return nil
        }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: size)
        guard bytes > 0, !overflow else { return nil }
        self.bytes = bytes
    }

    /// In the largest unit that says it exactly.
    package var description: String {
        let unit = Self.units.first { bytes.isMultiple(of: $0.bytes) } ?? ("B", 1)
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
