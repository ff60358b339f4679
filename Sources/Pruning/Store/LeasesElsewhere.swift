import FoundationEssentials
import Retention

/// What other archives than the store's own gave a lease. They may have been the store's: under another name, or in an older
/// version, which had one archive for all stores.
package enum LeasesElsewhere: Codable, Sendable {
    case known([Lease])
    /// They could not be read.
    case unknown(StoreError)

    /// Rows of a table that were put back, until when they stay, and their fingerprints of eight bytes each.
    package struct Lease: Codable, Sendable {
        package let store: Name
        package let table: String
        package let until: Date
        package let fingerprints: Data

        package init(store: Name, table: String, until: Date, fingerprints: Data) {
            (self.store, self.table, self.until, self.fingerprints) = (store, table, until, fingerprints)
        }
    }

    package static let none = known([])

    /// Those that count for `store`: its own, and those of a name that no store of the policy has, as any of these may have
    /// had it.
    package func counting(for store: Name, of stores: Set<Name>) -> LeasesElsewhere {
        guard case .known(let leases) = self else { return self }
        return .known(leases.filter { $0.store == store || !stores.contains($0.store) })
    }

    /// The same in pieces that each fit a line of a worker process.
    package var pieces: [LeasesElsewhere] {
        guard case .known(let leases) = self else { return [self] }
        var pieces: [[Lease]] = [[]]
        var room = Self.pieceBytes
        for lease in leases {
            var left = lease.fingerprints[...]
            repeat {
                if room < Self.leastRoom { (pieces, room) = (pieces + [[]], Self.pieceBytes) }
                let part = left.prefix(room / 8 * 8)
                left = left.dropFirst(part.count)
                room -= part.count + Self.leastRoom
                pieces[pieces.count - 1].append(
                    Lease(
                        store: lease.store, table: lease.table, until: lease.until, fingerprints: Data(part)))
            } while !left.isEmpty
        }
        return pieces.map { .known($0) }
    }

    /// Of fingerprints, of which base64 makes a third more.
    private static let pieceBytes = 32_000
    /// What a lease takes beside them: a table's name may be long.
    private static let leastRoom = 1_000

    /// The same in texts that may be shown.
    package var cleaned: LeasesElsewhere {
        if case .unknown(let error) = self { .unknown(error.cleaned) } else { self }
    }

    /// These and others.
    package func and(_ others: LeasesElsewhere) -> LeasesElsewhere {
        switch (self, others) {
        case (.known(let own), .known(let others)): .known(own + others)
        case (.unknown, _): self
        case (_, .unknown): others
        }
    }
}
