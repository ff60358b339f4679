import Glibc
import Pruning
import Retention
import SQLite

/// Where the archive's file is, and how it is opened.
struct ArchivePlace: Sendable {
    private static let name = "archive.sqlite"

    let directory: PrivateDirectory
    let path: String
    /// How large the file may get.
    let limit: ArchiveLimit
    let opening: any ArchiveOpening

    init(_ directory: PrivateDirectory, limit: ArchiveLimit, _ opening: any ArchiveOpening) {
        self.directory = directory
        path = directory.path + "/" + Self.name
        self.limit = limit
        self.opening = opening
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

    /// Throws ``StoreErrorKind/damaged`` if the file is.
    func verifyIntegrity(_ control: RunControl) throws(StoreError) {
        try naming { () throws(StoreError) in try opening.verifyIntegrity(of: path, control) }
    }

    /// Reads the archive without leaving files beside it.
    func read<Result>(
        _ operation: String, _ control: RunControl, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        try naming { () throws(StoreError) in
            try opening.read(path, operation, control) { db in
                try checkDirectory(of: db) { try directory.find() }
                if try !ArchiveSchema.isUnfinished(db) { try ArchiveSchema.check(db, path: path) }
                return try body(db)
            }
        }
    }

    /// Opens the archive for writing. Creates it if it is missing.
    func open(_ control: RunControl) throws(StoreError) -> any ArchiveConnection {
        try naming { () throws(StoreError) in
            try translating { try directory.createFile(Self.name, in: directory.make()) }
            let connection = try opening.openForWriting(path, control)
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
            throw PrivateDirectory.Refused(code: ESTALE, path: directory.path)
        }
    }

    private func translating(_ body: () throws -> Void) throws(StoreError) {
        try Self.translating(in: directory, body)
    }

    /// Makes a refusal of `directory` the error of an archive.
    static func translating(
        in directory: PrivateDirectory, _ body: () throws -> Void
    ) throws(StoreError) {
        let operation = "open the archive"
        do {
            try body()
        } catch let error as PrivateDirectory.Refused {
            throw .system(error.code, operation: operation, place: error.path, hint: error.hint)
        } catch let error as PrivateDirectory.Foreign {
            throw StoreError(
                .inputOutput, operation: operation, place: error.path, cause: error.cause,
                hint: "move it away, and find out who put it there")
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

    /// A user who only lacks the permission, memory or locks, or found another directory in place of the archive's, must not be told to
    /// move the archive away.
    private func hint(for error: StoreError) -> String {
        let stays = "rules that archive delete nothing; "
        let isWhole = ["out of memory", "locking protocol"].contains(where: error.cause.contains)
        if isWhole, let hint = error.hint { return hint }
        let isRefused =
            error.place == directory.path
            || access(path, R_OK | W_OK) != 0 && (errno == EACCES || errno == EPERM)
        if error.kind == .inputOutput, isRefused, let hint = error.hint { return stays + hint }
        return stays + "repair \(path), or move it away; what is in it can then not be put back"
    }
}
