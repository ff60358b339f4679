import FoundationEssentials

/// Identifies a run: its start in UTC and four random hexadecimal digits, so that ids sort by time and runs that
/// start in one second differ.
package struct RunID: Hashable, Sendable, CustomStringConvertible {
    /// `20261120T120000Z-3f9c`.
    package let description: String

    /// An id for a run that starts at `start`.
    package init(start: Date, using generator: inout some RandomNumberGenerator) {
        let compact = start.iso8601.filter { $0 != "-" && $0 != ":" }
        let digits = String(UInt16.random(in: .min ... .max, using: &generator), radix: 16)
        description = compact + "-" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
