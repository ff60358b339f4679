/// A size in bytes, written as a whole number and a unit: B, kB, MB or GB. Each unit is a thousand times the one
/// before.
package struct ByteCount: Codable, Hashable, Sendable, CustomStringConvertible {
    /// At least 1.
    package let bytes: Int64

    private static let units: [(name: String, bytes: Int64)] = [
        ("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000), ("B", 1),
    ]

    package init(_ bytes: Int64) {
        self.bytes = bytes
    }

    /// Parses a text such as `500MB`; spaces before the unit are allowed. Nil when the text is not a size, is zero, or
    /// does not fit into 64 bits.
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

    /// The same size in whole units of the largest that it has at least ten of, rounded down.
    package var rounded: ByteCount {
        let unit = Self.units.first { bytes >= 10 * $0.bytes } ?? ("B", 1)
        return ByteCount(bytes / unit.bytes * unit.bytes)
    }

    /// The size in the largest unit that represents it exactly.
    package var description: String {
        let unit = Self.units.first { bytes.isMultiple(of: $0.bytes) } ?? ("B", 1)
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
