import FoundationEssentials

/// The rows of a table that were put back from the archive and stay for a while.
///
/// A row is known by a fingerprint of its key. Two rows may have one, once in a billion of billions; then one stays that
/// might go, and never the other way round.
package struct Leases: Equatable, Sendable {
    private var fingerprints: Set<UInt64>
    /// When the last of them ends; nil where that is not known.
    package let end: Date?

    /// The rows with these fingerprints.
    package init(_ fingerprints: some Sequence<UInt64> = [], end: Date? = nil) {
        self.fingerprints = Set(fingerprints)
        self.end = end
    }

    /// Whether there are none.
    package var isEmpty: Bool { fingerprints.isEmpty }

    /// Whether a row with this fingerprint is among them.
    package func contains(_ fingerprint: UInt64) -> Bool {
        fingerprints.contains(fingerprint)
    }

    /// The fingerprint of nothing.
    package static let noFingerprint: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The fingerprint of a key, as its store encodes it, or of a part of it that follows the one with the fingerprint
    /// `before`: the 64-bit FNV-1a hash, the same in every process, for it is kept in a file.
    package static func fingerprint(
        of key: some Sequence<UInt8>, after before: UInt64 = noFingerprint
    ) -> UInt64 {
        key.reduce(before) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
