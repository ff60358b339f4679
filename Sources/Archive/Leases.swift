import FoundationEssentials
import Pruning
import Retention

/// The restored rows of a table that must stay for a while.
///
/// A row is identified by a fingerprint of its key. Two rows share a fingerprint once in a billion of billions. Then a
/// row stays that could be deleted; the reverse never happens.
package struct Leases: Equatable, Sendable {
    private var fingerprints: Set<UInt64>
    /// When the last of the leases ends; nil where that is unknown.
    package let end: Date?

    /// Leases of the rows with these fingerprints.
    package init(_ fingerprints: some Sequence<UInt64> = [], end: Date? = nil) {
        self.fingerprints = Set(fingerprints)
        self.end = end
    }

    /// These leases and others.
    package func and(_ others: Leases) -> Leases {
        let ends = [end, others.end].compactMap(\.self)
        return Leases(fingerprints.union(others.fingerprints), end: ends.max())
    }

    package var isEmpty: Bool { fingerprints.isEmpty }

    /// Whether a row with this fingerprint has a lease.
    package func contains(_ fingerprint: UInt64) -> Bool {
        fingerprints.contains(fingerprint)
    }

    /// The fingerprint of the empty key.
    package static let noFingerprint: UInt64 = 0xcbf2_9ce4_8422_2325

    /// The fingerprint of a key in its store's encoding. With `before`, `key` continues the bytes that have that
    /// fingerprint. This is the 64-bit FNV-1a hash: it must be the same in every process, because it is stored in a
    /// file.
    package static func fingerprint(
        of key: some Sequence<UInt8>, after before: UInt64 = noFingerprint
    ) -> UInt64 {
        key.reduce(before) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}

extension Leases {
    static let hint = "the rule continues by itself when the leases are over"

    /// The error where foreign keys lead back to the table `circle`, so that no statement finds the rows that would go with
    /// rows of `table`.
    package static func untold(of rule: RetentionRule, under table: String, in circle: String) -> StoreError {
        StoreError(
            .leasesUnreadable, operation: "run rule \(rule.name)", place: rule.store.description,
            cause:
                "rows that would be deleted with those of \(table) were put back from the archive and have a lease,"
                + " and as \(circle) refers to itself it cannot be told which rows these are",
            hint: hint)
    }
}
