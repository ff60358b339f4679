import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// The archive as a separate SQLite file, `ledger/archive.sqlite` in the state directory.
package struct SQLiteArchive: RowArchive {
    private static let name = "archive.sqlite"

    private let directory: LedgerDirectory
    package let path: String
    let limit: ByteCount
    private let stores: Set<Name>

    /// The archive of a state directory, which must be an absolute path. `limit` is the largest size of the archive.
    /// `stores` are all stores that the policy names.
    package init(stateDirectory: String, limit: ByteCount, stores: Set<Name>) {
        directory = LedgerDirectory(stateDirectory: stateDirectory)
        path = directory.path + "/" + Self.name
        self.limit = limit
        self.stores = stores
    }

    /// Whether anything was ever archived. A file without tables and with a rollback journal beside it is empty: the
    /// process that created it was killed.
    var exists: Bool {
        // A file that cannot be examined may exist and have leases. Opening it reports the cause.
        guard let file = FileFacts(at: path) else { return errno != ENOENT && errno != ENOTDIR }
        return file.size > Self.sizeWithoutTables || FileFacts(at: path + "-journal") == nil
    }

    /// One page.
    private static let sizeWithoutTables: Int64 = 4_096

    /// See ``RowArchive``. What is written to a damaged file may be written over, or not be found again.
    package func openWriter(_ control: RunControl) throws(StoreError) -> any ArchiveWriter {
        if exists {
            try naming { () throws(StoreError) in
                let view = try SQLiteView(path: path, control: control)
                defer { view.close() }
                try view.verifyIntegrity()
            }
        }
        return try SQLiteArchiveWriter(archive: self, control: control)
    }

    /// See ``RowArchive``. If the archive names a store that the policy does not, any store of the policy may have had
    /// that name.
    package func leases(
        of table: String, in store: Name, at date: Date
    ) throws(StoreError) -> Leases {
        guard exists else { return Leases() }
        let stores = try JSONText.of(stores.map(\.description), place: path)
        let packed = try read("look for rows that were put back", RunControl { .zero }) { db -> [Row] in
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
            packed.lazy.flatMap { FingerprintEncoding.fingerprints(in: $0[0]) },
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
            hint: "the rule continues by itself when the leases are over")
    }

    /// Reads the archive without leaving files beside it.
    func read<Result>(
        _ operation: String, _ control: RunControl, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        try naming { () throws(StoreError) in
            let view = try SQLiteView(path: path, control: control)
            defer { view.close() }
            return try view.read(operation) { db in
                try checkDirectory(of: db) { try directory.find() }
                if try !ArchiveSchema.isUnfinished(db) { try ArchiveSchema.check(db, path: path) }
                return try body(db)
            }
        }
    }

    /// Opens the archive for writing. Creates it if it is missing.
    func open(_ control: RunControl) throws(StoreError) -> Connection {
        try naming { () throws(StoreError) in
            try translating { try directory.createFile(Self.name, in: directory.make()) }
            let connection = try Connection(.write, path: path, control: control)
            do throws(StoreError) {
                try connection.perform("open the archive") { db in
                    try checkDirectory(of: db) { try directory.make() }
                    try ArchiveSchema.prepare(db, path: path)
                }
                return connection
            } catch {
                connection.close()
                throw error
            }
        }
    }

    /// Throws if the directory of `db` is not pruned's own, which `own` finds. A user who shares the state directory
    /// could have replaced it.
    private func checkDirectory(
        of db: Database, _ own: () throws -> StoreDirectory?
    ) throws(StoreError) {
        try translating {
            guard try db.directory !== own() else { return }
            throw LedgerDirectory.Refused(code: ESTALE, path: directory.path)
        }
    }

    private func translating(_ body: () throws -> Void) throws(StoreError) {
        let operation = "open the archive"
        do {
            try body()
        } catch let error as LedgerDirectory.Refused {
            throw .system(error.code, operation: operation, place: error.path, hint: error.hint)
        } catch let error as LedgerDirectory.Foreign {
            throw StoreError(
                .inputOutput, operation: operation, place: error.path, cause: error.cause,
                hint: "the next run moves it away; find out who put it there")
        } catch {
            throw StoreError(.other, operation: operation, place: directory.path, cause: "\(error)")
        }
    }

    /// A fault of the archive must not look like a fault of the store that is pruned.
    func naming<Result>(_ body: () throws(StoreError) -> Result) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            switch error.kind {
            case .busy, .full, .tooLarge, .tooSlow, .interrupted, .archiveFull: throw error
            case .damaged, .inputOutput:
                // The place is the archive's path. By it a run distinguishes the error from a fault of its store.
                throw StoreError(
                    error.kind, operation: error.operation, place: path, cause: error.cause,
                    hint: hint(for: error))
            default:
                throw StoreError(
                    .other, operation: error.operation, place: error.place, cause: error.cause,
                    hint: hint(for: error))
            }
        }
    }

    /// A user who only lacks the permission, or found another directory in place of the archive's, must not be told to
    /// move the archive away.
    private func hint(for error: StoreError) -> String {
        let stays = "rules that archive delete nothing; "
        let isRefused =
            error.place == directory.path
            || access(path, R_OK | W_OK) != 0 && (errno == EACCES || errno == EPERM)
        if error.kind == .inputOutput, isRefused, let hint = error.hint { return stays + hint }
        return stays + "repair \(path), or move it away; what is in it can then not be put back"
    }
}
