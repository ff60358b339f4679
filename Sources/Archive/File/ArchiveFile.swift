import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// The archive as a separate SQLite file, `ledger/archive.sqlite` in the state directory.
package struct ArchiveFile: RowArchive {
    let place: ArchivePlace
    private let stores: @Sendable () -> Set<Name>

    package var path: String { place.path }

    /// The archive of a state directory, which must be an absolute path. `limit` is the largest size of the archive.
    /// `stores` are all stores that the policy names. `opening` opens the file.
    package init(
        stateDirectory: String, limit: ByteCount, stores: @autoclosure @escaping @Sendable () -> Set<Name>,
        by opening: any ArchiveOpening
    ) {
        place = ArchivePlace(stateDirectory: stateDirectory, limit: limit, opening)
        self.stores = stores
    }

    /// See ``RowArchive``. What is written to a damaged file may be written over, or not be found again.
    package func openWriter(_ control: RunControl) throws(StoreError) -> any ArchiveWriter {
        if place.exists { try place.verifyIntegrity(control) }
        return try FileWriter(place, control)
    }

    /// See ``RowArchive``. If the archive names a store that the policy does not, any store of the policy may have had
    /// that name.
    package func leases(
        of table: String, in store: Name, at date: Date
    ) throws(StoreError) -> Leases {
        guard place.exists else { return Leases() }
        let stores = try JSONText.of(stores().map(\.description), place: path)
        let packed = try place.read("look for rows that were put back", RunControl { .zero }) { db -> [Row] in
            if try ArchiveSchema.isUnfinished(db) { return [] }
            return try db.rows(
                """
                SELECT fingerprints, until, checksum FROM lease WHERE lower("table") = lower(:table) AND until > :now \
                AND (store = :store OR store NOT IN (SELECT value FROM json_each(:stores)))
                """,
                [
                    "store": .text(store.description), "table": .text(table), "stores": .text(stores),
                    "now": .int64(Int64(date.timeIntervalSince1970)),
                ])
        }
        try check(packed, of: table, in: store)
        return Leases(
            packed.lazy.flatMap { FingerprintEncoding.fingerprints(in: $0[0].blob) },
            end: packed.map(\.[1].integer).max().map { Date(timeIntervalSince1970: Double($0)) })
    }

    /// Throws ``StoreErrorKind/leasesUnreadable`` if one of `leases` is not as it was written.
    private func check(_ leases: [Row], of table: String, in store: Name) throws(StoreError) {
        let areWhole = leases.allSatisfy { lease in
            guard case .blob(let fingerprints) = lease[0] else { return false }
            return lease[2] == .int64(ArchiveChecksum.lease(fingerprints))
        }
        guard !areWhole else { return }
        throw StoreError(
            .leasesUnreadable, operation: "look for rows of \(table) that were put back",
            place: store.description,
            cause: "a lease in \(path) is damaged, so it is unknown which rows of \(table) it protects",
            hint: Leases.hint)
    }
}
