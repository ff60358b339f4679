import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// The archive of a store as a separate SQLite file, `archive/STORE/archive.sqlite` in the state directory.
package struct ArchiveFile: RowArchive {
    let place: ArchivePlace
    private let elsewhere: @Sendable () -> LeasesElsewhere

    package var path: String { place.path }

    /// The archive of `store` in a state directory, which must be an absolute path; without a store that of older versions,
    /// which had one for all. `limit` is how large it may get. `elsewhere` are the leases that other archives
    /// gave. `opening` opens the file.
    package init(
        stateDirectory: String, of store: Name?, limit: ArchiveLimit,
        elsewhere: @escaping @Sendable () -> LeasesElsewhere, by opening: any ArchiveOpening
    ) {
        let archives = PrivateDirectory.archives(in: stateDirectory)
        let directory =
            store.map { archives.directory($0.description) } ?? .ledger(in: stateDirectory)
        place = ArchivePlace(directory, limit: limit, opening)
        self.elsewhere = elsewhere
    }

    /// The directory of the archive, which has no other files, but for older versions'.
    package var directory: String { place.directory.path }

    /// The stores that have an archive in a state directory, or had one.
    package static func stores(in stateDirectory: String) -> [Name] {
        PrivateDirectory.archives(in: stateDirectory).directories().compactMap { Name($0) }
    }

    /// Whether anything was ever archived.
    package var exists: Bool { place.exists }

    /// The size of the file; 0 if there is none.
    package var bytes: Int64 { FileFacts(at: path)?.size ?? 0 }

    /// Makes the directory, as a worker process cannot. What is wrong with it is told by who opens the archive.
    package func prepare() { _ = try? place.directory.make() }

    /// See ``RowArchive``. What is written to a damaged file may be written over, or not be found again.
    package func openWriter(_ control: RunControl) throws(StoreError) -> any ArchiveWriter {
        if place.exists { try place.verifyIntegrity(control) }
        return try FileWriter(place, control)
    }

    /// See ``RowArchive``.
    package func leases(
        of table: String, in store: Name, at date: Date
    ) throws(StoreError) -> Leases {
        var leases = Leases()
        switch elsewhere() {
        case .known(let others):
            let ofTable = others.filter { $0.table.lowercased() == table.lowercased() && $0.until > date }
            for lease in ofTable {
                leases = leases.and(
                    Leases(
                        FingerprintEncoding.fingerprints(in: Array(lease.fingerprints)), end: lease.until))
            }
        case .unknown(let error): throw error
        }
        let own = try rows(at: date, where: #"lower("table") = lower(:table)"#, ["table": .text(table)])
        try check(own, of: table, in: store)
        return leases.and(
            Leases(
                own.lazy.flatMap { FingerprintEncoding.fingerprints(in: $0[0].blob) },
                end: own.map(\.[1].integer).max().map { Date(timeIntervalSince1970: Double($0)) }))
    }

    /// The leases of all tables, for the runs of other stores than the archive's.
    package func leases(at date: Date) -> LeasesElsewhere {
        do throws(StoreError) {
            let rows = try rows(at: date, where: "true", [:])
            for lease in rows {
                try check([lease], of: lease[4].string, in: Name(lease[3].string) ?? ArchivePruning.name)
            }
            return .known(
                rows.map { row in
                    LeasesElsewhere.Lease(
                        store: Name(row[3].string) ?? ArchivePruning.name, table: row[4].string,
                        until: Date(timeIntervalSince1970: Double(row[1].integer)),
                        fingerprints: Data(row[0].blob))
                })
        } catch {
            return .unknown(error)
        }
    }

    /// Whether it has neither rows nor leases. False where it cannot be read.
    package func isEmpty(_ control: RunControl) -> Bool {
        (try? has(rowsUntil: .max, control)) == false
    }

    /// Whether rows or leases may be over at `date`: one look at the file, where its rules take several. True where it
    /// cannot be read, which they report.
    package func mayHaveExpired(at date: Date, _ control: RunControl) -> Bool {
        place.exists && (try? has(rowsUntil: Int64(date.timeIntervalSince1970), control)) != false
    }

    private func has(rowsUntil end: Int64, _ control: RunControl) throws(StoreError) -> Bool {
        try place.read("look into the archive", control) { db in
            guard try !ArchiveSchema.isUnfinished(db) else { return false }
            let found = try db.row(
                """
                SELECT EXISTS (SELECT 1 FROM batch WHERE expires_at <= :end)
                    OR EXISTS (SELECT 1 FROM lease WHERE until <= :end)
                """, ["end": .int64(end)])
            return found?[0].integer != 0
        }
    }

    /// Removes an archive that was found empty. A run by another configuration may fill it just now: it has then begun a log,
    /// or finds that the file was moved away, and deletes nothing.
    package func remove() {
        let (log, aside) = (path + "-wal", path + ".empty")
        guard FileFacts(at: log) == nil, rename(path, aside) == 0 else { return }
        if FileFacts(at: log) != nil, link(aside, path) != 0 { return }
        unlink(aside)
        rmdir(directory)  // if that was all
    }

    private func rows(
        at date: Date, where condition: String, _ values: [String: DatabaseValue]
    ) throws(StoreError) -> [Row] {
        guard place.exists else { return [] }
        return try place.read("look for rows that were put back", RunControl { .zero }) { db -> [Row] in
            if try ArchiveSchema.isUnfinished(db) { return [] }
            return try db.rows(
                """
                SELECT fingerprints, until, checksum, store, "table" FROM lease WHERE until > :now AND \(condition)
                """,
                values.merging(["now": .int64(Int64(date.timeIntervalSince1970))]) { $1 })
        }
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
