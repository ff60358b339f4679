import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite

/// The view context of a SQLite file. It leaves no files beside the store, not even `-wal` and `-shm`. One exception:
/// if there is a log that no process has open, SQLite creates a new `-shm` to read it.
final class SQLiteView: ViewContext {
    let path: String
    let control: RunControl
    let terms: AppTerms
    let archive: StoreArchive?
    let lockTime: LockTime
    private(set) var connection: Connection { didSet { bindings = [:] } }
    /// The rules that were bound on this connection, each with the version of the schema for which that holds.
    var bindings: [RetentionRule: (version: Int64, rule: BoundRule)] = [:]
    /// Knows the rows that were put back from the archive; nil without an archive.
    private(set) var leases: LeaseFunction?
    private(set) var access: Connection.Access
    /// The file when it was opened without locks; nil if SQLite's locks protect the reads.
    private var untouched: FileFacts?
    /// Whether a store that is read with locks has a write-ahead log, so that reading blocks nobody.
    var hasLog = false
    /// How many identities of rows that may have come back are in memory at once.
    var mostCandidates = 200_000

    /// A file without `-wal` and `-journal` is complete by itself and is read without locks. With locks, opening a file
    /// in WAL mode would create `-wal` and `-shm`, and reading a file in rollback-journal mode would block its app's
    /// writes.
    init(
        path: String, control: RunControl, terms: AppTerms = AppTerms(), archive: StoreArchive? = nil,
        lockTime: LockTime = LockTime()
    ) throws(StoreError) {
        self.path = path
        self.control = control
        self.terms = terms
        self.archive = archive
        self.lockTime = lockTime
        (connection, access, untouched) = try Self.open(path, control, terms)
        leases = archive.map(LeaseFunction.init)
    }

    /// To read with locks can make the app's writes fail, except where they go into a log. So that is for when the app
    /// does not keep the store to itself.
    private static func leaveAppAlone(_ file: StoreFile, _ terms: AppTerms) throws(StoreError) {
        guard file.directory.facts(file.name + "-wal") == nil else { return }
        try terms.lock(beside: file)?.check()
    }

    private static func open(
        _ path: String, _ control: RunControl, _ terms: AppTerms
    ) throws(StoreError) -> (Connection, Connection.Access, untouched: FileFacts?) {
        let file = try StoreFile(path: path)
        let isQuiet = isQuiet(file, control)
        if !isQuiet { try leaveAppAlone(file, terms) }
        let facts = file.directory.facts(file.name)
        let access = isQuiet ? Connection.Access.readUntouched : .read
        return (try Connection(access, path: path, control: control), access, isQuiet ? facts : nil)
    }

    /// Whether nobody writes. Waits a moment for a writer.
    private static func isQuiet(_ file: StoreFile, _ control: RunControl) -> Bool {
        for _ in 0..<longestWrite where file.directory.facts(file.name + "-wal") == nil {
            guard JournalFile.isInUse(of: file) else { return true }
            control.pause(.milliseconds(1))
        }
        return !areInUse(file)
    }

    /// In milliseconds. A journal that exists for longer may be from a killed writer.
    private static let longestWrite = 50

    private static func areInUse(_ file: StoreFile) -> Bool {
        file.directory.facts(file.name + "-wal") != nil || JournalFile.isInUse(of: file)
    }

    func freeSpace() throws(StoreError) -> FreeSpace? {
        try read("count the free pages", .approximate) { db in try FreePages.space(in: db) }
    }

    func size() throws(StoreError) -> FreeSpace {
        try read("look at the size", .approximate) { db in try FreePages.size(of: db) }
    }

    func disturbance() throws(StoreError) -> String? {
        let isWAL = try read("read the journal mode") { db in try db.isMadeForWAL() }
        guard !isWAL else { return nil }
        return
            "no write-ahead log: a batch blocks its app's readers, too; WAL mode helps (PRAGMA journal_mode = WAL), or,"
            + " for an app that does not wait for locks, quiet = true, which is slow"
    }

    func knownSchema() throws(StoreError) -> String? {
        guard let gate = terms.gate else { return nil }
        return try read("compare the schema") { [path, terms] db in
            let uses = terms.rules.map { SchemaUse($0) }
            return try Gate(gate, for: uses, store: terms.store, place: path, names: .sqlite)
                .pass(StoreSchema(of: gate.tables, in: db)).versions
        }
    }

    func schema() throws(StoreError) -> StoreSchema {
        try read("read the schema") { [terms] db in
            // Virtual tables may need a module that only the app has: only those are read that are wanted.
            let all = try StoreSchema(in: db, withColumnsOfVirtualTables: false)
            let used = all.tables(for: terms.rules.map { SchemaUse($0) }, by: .sqlite)
            return try StoreSchema(of: Set(used.tables.map(\.name)), in: db)
        }
    }

    func verifyFreeSpace() throws(StoreError) {
        let isWAL = try read("read the journal mode") { db in try db.isMadeForWAL() }
        // What is in a write-ahead log is not in the file. A whole read of a store that has one is in nobody's way.
        guard !isWAL else { return try verifyIntegrity() }
        let operation = "look at the free pages"
        let finding = try read(operation) { db in try FreeList.damage(in: db) }
        if let finding { throw damage(finding, found: operation) }
    }

    func verifyIntegrity() throws(StoreError) { try verifyIntegrity(of: nil) }

    func verifyIntegrity(for rules: [RetentionRule]) throws(StoreError) -> String? {
        do throws(StoreError) {
            try verifyIntegrity()
            return nil
        } catch {
            guard error.kind == .unsupported else { throw error }
            let tables = rules.flatMap { rule in
                [rule.table] + rule.dependents + rule.keptBy.map(\.table)
                    + [rule.tombstone?.table].compactMap(\.self)
            }
            for table in Set(tables).sorted() { try verify(table) }
            return "only the tables of its rules were checked: \(error.cause), which only its app has"
        }
    }

    /// A table that cannot be checked, or is not there, fails the rule that names it.
    private func verify(_ table: String) throws(StoreError) {
        do throws(StoreError) { try verifyIntegrity(of: table) } catch {
            guard [.unsupported, .schema].contains(error.kind) else { throw error }
        }
    }

    /// Checks one table with its indexes, or the whole store.
    private func verifyIntegrity(of table: String?) throws(StoreError) {
        let operation = "check the integrity"
        let finding = try read(operation) { db in
            try db.value("PRAGMA integrity_check(\(table?.quotedIdentifier ?? "1"))").string
        }
        guard finding == "ok" else { throw damage(finding, found: operation) }
    }

    private func damage(_ finding: String, found operation: String) -> StoreError {
        StoreError(
            .damaged, operation: operation, place: path, cause: finding,
            hint: "restore it from a backup, or try .recover of the sqlite3 program")
    }

    func close() {
        connection.close()
    }

    /// What happens to a result that was read without locks while the app wrote.
    enum Certainty {
        /// It is discarded and read again with locks.
        case exact
        /// It is used, because the worker judges every row again.
        case approximate
    }

    func read<Result>(
        _ operation: String, of rule: RetentionRule? = nil, _ certainty: Certainty = .exact,
        _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        let work = StoreWork(operation, place: path, rule: rule)
        var tries = 0
        while true {
            let answer = answer(work, body)
            if tries < Self.mostTries, isLogMissing(answer) {
                tries += 1
                control.pause(.milliseconds(1))
                connection.close()
                (connection, access, untouched) = try Self.open(path, control, terms)
                leases = archive.map(LeaseFunction.init)
                continue
            }
            guard isDisturbed else {
                if isLogMissing(answer), let refusal = connection.ownersRefusal { throw refusal }
                return try answer.get()
            }
            if certainty == .approximate, case .success(let result) = answer { return result }
            try readWithLocks()
        }
    }

    private func answer<Result>(
        _ work: StoreWork, _ body: (Database) throws -> Result
    ) -> Swift.Result<Result, StoreError> {
        do throws(StoreError) {
            return .success(try connection.perform(work) { db in try db.inSnapshot { try body(db) } })
        } catch {
            return .failure(error)
        }
    }

    /// An app may open and close its store again and again.
    private static let mostTries = 20

    /// Whether SQLite needed a log or its index, and there was none, because the app had just removed it. SQLite would
    /// create one, but the app could not use it; see ``StoreFile/protectOwner(_:)``.
    private func isLogMissing<Result>(_ answer: Swift.Result<Result, StoreError>) -> Bool {
        guard case .failure(let error) = answer else { return false }
        return error.kind == .inputOutput && access == .read && connection.ownersRefusal != nil
    }

    /// Whether somebody wrote since the file was opened without locks.
    private var isDisturbed: Bool {
        guard let untouched else { return false }
        let file = connection.file
        return file.directory.facts(file.name) != untouched
            || Self.areInUse(file)
    }

    private func readWithLocks() throws(StoreError) {
        try Self.leaveAppAlone(connection.file, terms)
        connection.close()
        (access, untouched) = (.read, nil)
        connection = try Connection(.read, path: path, control: control)
        leases = archive.map(LeaseFunction.init)
    }
}
