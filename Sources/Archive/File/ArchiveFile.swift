import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// The archive of a store as a separate SQLite file, `archive/STORE/archive.sqlite` in the state directory.
package struct ArchiveFile: RowArchive {
    let place: ArchivePlace
    private let stateDirectory: String
    private let others: OtherArchives
    /// Why nothing can be archived.
    private let obstacle: StoreError?

    package var path: String { place.path }

    /// The archive of `store` in a state directory, which must be an absolute path; without a store that of older versions,
    /// which had one for all. `limit` is how large it may get. `others` may have leases, too. `opening` opens the files.
    package init(
        stateDirectory: String, of store: Name?, limit: ArchiveLimit, others: OtherArchives,
        obstacle: StoreError?, by opening: any ArchiveOpening
    ) {
        let archives = PrivateDirectory.archives(in: stateDirectory)
        let directory =
            store.map { archives.directory($0.description.replacing("/", with: Self.slash)) }
            ?? .ledger(in: stateDirectory)
        place = ArchivePlace(directory, limit: limit, opening)
        (self.stateDirectory, self.others, self.obstacle) = (stateDirectory, others, obstacle)
    }

    /// The directory of the archive, which has no other files, but for older versions'.
    package var directory: String { place.directory.path }

    /// The stores that have an archive in a state directory, or had one.
    package static func stores(in stateDirectory: String) throws(StoreError) -> [Name] {
        let directory = PrivateDirectory.archives(in: stateDirectory)
        var names: [String] = []
        try ArchivePlace.translating(in: directory) { names = try directory.directories() }
        return names.compactMap { Name($0.replacing(slash, with: "/")) }
    }

    /// What a directory has for the slash in the name of a family's store, which has no other one.
    private static let slash = "%2F"

    /// Whether anything was ever archived.
    package var exists: Bool { place.exists }

    /// The size of the file; 0 if there is none.
    package var bytes: Int64 { FileFacts(at: path)?.size ?? 0 }

    /// Makes the directory, as a worker process cannot. Returns why it could not.
    package func prepare() -> StoreError? {
        do throws(StoreError) {
            try place.naming { () throws(StoreError) in
                try ArchivePlace.translating(in: place.directory) { _ = try place.directory.make() }
            }
            return nil
        } catch {
            return error
        }
    }

    /// See ``RowArchive``. What is written to a damaged file may be written over, or not be found again.
    package func openWriter(_ control: RunControl) throws(StoreError) -> any ArchiveWriter {
        if let obstacle { throw obstacle }
        if place.exists { try place.verifyIntegrity(control) }
        return try FileWriter(place, control)
    }

    /// See ``RowArchive``.
    package func leases(
        of table: String, in store: Name, at date: Date
    ) throws(StoreError) -> Leases {
        if let failure = others.failure { throw failure }
        var leases = try leases(of: table, in: store, at: date, where: "true", [:])
        for name in others.names {
            let stores = try JSONText.of(others.stores.map(\.description), place: path)
            let other = ArchiveFile(
                stateDirectory: stateDirectory, of: name, limit: place.limit, others: .none, obstacle: nil,
                by: place.opening)
            leases = leases.and(
                try other.leases(
                    of: table, in: store, at: date,
                    where: "(store = :store OR store NOT IN (SELECT value FROM json_each(:stores)))",
                    ["store": .text(store.description), "stores": .text(stores)]))
        }
        return leases
    }

    private func leases(
        of table: String, in store: Name, at date: Date, where condition: String,
        _ values: [String: DatabaseValue]
    ) throws(StoreError) -> Leases {
        guard place.exists else { return Leases() }
        let packed = try place.read("look for rows that were put back", RunControl { .zero }) { db -> [Row] in
            if try ArchiveSchema.isUnfinished(db) { return [] }
            return try db.rows(
                """
                SELECT fingerprints, until, checksum FROM lease
                WHERE lower("table") = lower(:table) AND until > :now AND \(condition)
                """,
                values.merging([
                    "table": .text(table), "now": .int64(Int64(date.timeIntervalSince1970)),
                ]) { $1 })
        }
        try check(packed, of: table, in: store)
        return Leases(
            packed.lazy.flatMap { FingerprintEncoding.fingerprints(in: $0[0].blob) },
            end: packed.map(\.[1].integer).max().map { Date(timeIntervalSince1970: Double($0)) })
    }

    /// Whether rows or leases may be over at `date`: one look at the file, where its rules take several. True where it
    /// cannot be read, which they report.
    package func mayHaveExpired(at date: Date, _ control: RunControl) -> Bool {
        guard place.exists else { return false }
        // What a run that failed left beside it goes when its rules open it for writing.
        guard FileFacts(at: path + "-wal") == nil else { return true }
        let found = try? place.read("look into the archive", control) { db in
            guard try !ArchiveSchema.isUnfinished(db) else { return false }
            let found = try db.row(
                """
                SELECT EXISTS (SELECT 1 FROM batch WHERE expires_at <= :end)
                    OR EXISTS (SELECT 1 FROM lease WHERE until <= :end)
                """, ["end": .int64(Int64(date.timeIntervalSince1970))])
            return found?[0].integer != 0
        }
        return found != false
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
