// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
@preconcurrency import Dispatch
import FoundationEssentials
import Glibc
import Pruning
import Retention
import SQLite
import Synchronization

/// All that pruned records in a state directory; `LedgerSchema` lists it.
///
/// The file is open only during a read or a write, so an idle service has nothing open. A fault of the ledger never
/// costs a row of a store. State that cannot be read counts as absent, and the guards then treat each rule as new.
/// State that cannot be written is reported.
package final class Ledger: Sendable {
    /// The state directory that the ledger is in.
    package let stateDirectory: String
    private let file: LedgerFile
    private let say: @Sendable (LedgerNotice) -> Void
    /// Called after each change.
    private let changed: @Sendable () -> Void
    /// Only one thread of the process uses the ledger at a time, because SQLite polls for a lock.
    private let turn = DispatchSemaphore(value: 1)
    /// Whether the ledger was locked when it was last used. A run that has waited once waits only briefly afterwards.
    private let wasLocked = Atomic(false)

    /// How long to wait for a lock, in milliseconds.
    private let patience: CInt

    private static let impatience: CInt = 100

    /// The ledger of a state directory. `say` receives notices for a person, and `changed` is called after each change.
    /// `patience` is how long to wait for a lock, in milliseconds; a process that has the lock writes only a few pages.
    package init(
        stateDirectory: String, patience: CInt = 5_000,
        say: @escaping @Sendable (LedgerNotice) -> Void = { _ in },
        changed: @escaping @Sendable () -> Void = {}
    ) {
        self.stateDirectory = stateDirectory
        self.patience = patience
        (self.say, self.changed) = (say, changed)
        file = LedgerFile(directory: PrivateDirectory.ledger(in: stateDirectory))
    }

    /// The path of the file.
    package var path: String { file.path }

    /// Whether this process runs as the user who may write to it; nil if there is no state directory yet.
    package var isOwn: Bool? { file.directory.owner.map { $0 == geteuid() } }

    /// Whether it is another user's, or would be, who alone can use it.
    package var isOfAnother: Bool { isOwn == false && geteuid() != 0 }

    /// The same of one that exists.
    package var isClosed: Bool { isOfAnother && FileFacts(at: file.directory.path) != nil }

    /// Reads the ledger with `body`. Returns `empty` if there is none yet, or if it is damaged.
    ///
    /// Throws ``StoreErrorKind/busy`` or ``StoreErrorKind/inputOutput`` if it exists and cannot
    /// be read.
    package func read<Result>(
        or empty: Result, _ body: (LedgerTables) throws -> Result
    ) throws(StoreError) -> Result {
        try examine(or: empty, body).result
    }

    /// The same, and the reason why a damaged ledger counts as empty. A report must not look as if nothing had ever
    /// run.
    package func examine<Result>(
        or empty: Result, _ body: (LedgerTables) throws -> Result
    ) throws(StoreError) -> (result: Result, damage: StateDamage?) {
        do {
            let result = try inTurn {
                guard let directory = try file.find() else { return empty }
                return try reading(in: directory) { db in
                    guard try !LedgerSchema.isEmpty(db) else { return empty }
                    return try body(LedgerTables(db: db, layout: LedgerSchema.check(db)))
                }
            }
            return (result, nil)
        } catch {
            guard let damage = damage(error) else { throw failure(error, "look at the state") }
            let told = StateDamage(
                path: damage.path,
                reason: "\(damage.path) is damaged and counts as empty (\(damage.cause)): \(Self.follows)",
                hint: "no action is needed: the next run moves it away and creates a new one")
            return (empty, told)
        }
    }

    /// The same for callers that continue without the ledger: returns `empty` also if it cannot be read.
    package func readIfPossible<Result>(
        or empty: Result, _ body: (LedgerTables) throws -> Result
    ) -> Result {
        (try? read(or: empty, body)) ?? empty
    }

    /// Changes the ledger with `body`, all or nothing. The change is on the disk when this returns; without
    /// `isDurable`, a power cut may undo it. A missing ledger is created. A damaged one is set aside and replaced.
    /// `purpose` is what the change is for, such as "remember the last runs".
    ///
    /// Throws ``StoreErrorKind/busy``, ``StoreErrorKind/full`` or
    /// ``StoreErrorKind/inputOutput``.
    package func write<Result>(
        _ purpose: String, isDurable: Bool = true, _ body: (LedgerTables) throws -> Result
    ) throws(StoreError) -> Result {
        do {
            do {
                return try writing(isDurable, body)
            } catch {
                guard let damage = damage(error) ?? damage(behind: error) else { throw error }
                try setAside(damage)
                return try writing(isDurable, body)
            }
        } catch {
            throw failure(error, purpose)
        }
    }

    /// Changes the ledger if that can be done now. Of an error nobody is told, and a damaged ledger stays where it is.
    package func note(_ body: (LedgerTables) throws -> Void) { try? writing(false, body) }

    /// Creates a missing ledger, and sets a damaged one aside. Called before a run, so that the run has the ledger it
    /// writes to.
    package func prepare() throws(StoreError) {
        try write("prepare to remember what is done") { try $0.checkAll() }
    }

    static let follows =
        "each rule counts as new and is due, and what was held and confirmed is forgotten"

    private func writing<Result>(
        _ isDurable: Bool, _ body: (LedgerTables) throws -> Result
    ) throws -> Result {
        let (result, isNew) = try inTurn(isWriting: true) {
            let (directory, isNew) = try file.make()
            let db = try open(in: directory, isReadOnly: false)
            defer { db.close() }
            // With a lower setting the journal may reappear after a power cut, and undo a change that was reported as
            // done.
            try db.execute("PRAGMA synchronous = \(isDurable ? "EXTRA" : "NORMAL")")
            try LedgerSchema.prepare(db)
            return (try db.inTransaction { try body(LedgerTables(db: db)) }, isNew)
        }
        if isNew { sayOldFiles() }
        changed()
        return result
    }

    private func inTurn<Result>(isWriting: Bool = false, _ body: () throws -> Result) rethrows -> Result {
        turn.wait()
        defer { turn.signal() }
        do {
            let result = try body()
            // A reader may meet no lock where a writer would.
            if isWriting { wasLocked.store(false, ordering: .relaxed) }
            return result
        } catch {
            let code = (error as? DatabaseError)?.code ?? 0
            if SQLiteCode.kind(of: code) == .busy { wasLocked.store(true, ordering: .relaxed) }
            throw error
        }
    }

    private func reading<Result>(
        in directory: StoreDirectory, _ body: (Database) throws -> Result
    ) throws -> Result {
        do {
            return try reading(in: directory, isReadOnly: true, body)
        } catch let error as DatabaseError where Self.isLeftByKilled(error) {
            // A killed writer left a transaction, which must be rolled back. Only the ledger's user can do that.
            return try reading(in: directory, isReadOnly: false, body)
        }
    }

    private func reading<Result>(
        in directory: StoreDirectory, isReadOnly: Bool, _ body: (Database) throws -> Result
    ) throws -> Result {
        let db = try open(in: directory, isReadOnly: isReadOnly)
        defer { db.close() }
        return try db.inSnapshot { try body(db) }
    }

    private static func isLeftByKilled(_ error: DatabaseError) -> Bool {
        [SQLiteCode.readOnly, SQLiteCode.cannotOpen].contains(error.code & 0xFF)
    }

    /// A connection for records that are written often and need not survive a crash of the machine; see
    /// ``ConfirmedRest``.
    func openForHaste() throws -> Database {
        let db = try open(in: file.make().directory, isReadOnly: false)
        try db.execute("PRAGMA synchronous = OFF")
        return db
    }

    private func open(in directory: StoreDirectory, isReadOnly: Bool) throws -> Database {
        let path = directory.path(of: LedgerFile.name)
        return try Database(
            uri: "file:\(path)?mode=\(isReadOnly ? "ro" : "rw")", in: directory, isReadOnly: isReadOnly,
            busyTimeout: wasLocked.load(ordering: .relaxed) ? min(patience, Self.impatience) : patience)
    }
}

extension Ledger {
    /// When the rules go on whose last runs met a limit of their time; see ``LastAttempt/turn(of:in:)``.
    package func turns(of policy: RetentionPolicy) -> [Name: Date] {
        let attempts = readIfPossible(or: [:]) { try $0.lastAttempts() }
        let turns = policy.rules.compactMap { rule in
            attempts[rule.name.description]?.turn(of: rule, in: policy.timeZone).map { (rule.name, $0) }
        }
        return Dictionary(turns) { first, _ in first }
    }

    /// The metrics file that was written last; nil if it is the one at `path`, is missing, or is no longer pruned's
    /// own.
    package func abandonedMetrics(for path: String?) -> String? {
        guard let old = readIfPossible(or: nil, { try $0.metrics()?.file }), old != path else { return nil }
        return MetricsFile(path: old, stateDirectory: stateDirectory).isOwn ? old : nil
    }
}

/// Errors of the ledger.
extension Ledger {
    /// A file that cannot be used as the ledger, and why.
    private struct Damage {
        let path: String
        let cause: String
    }

    private func damage(_ error: any Error) -> Damage? {
        switch error {
        case let error as LedgerFile.Foreign: Damage(path: error.path, cause: error.cause)
        case let error as LedgerSchema.Mismatch: Damage(path: path, cause: error.cause)
        case let error as LedgerTables.Unreadable: Damage(path: path, cause: error.cause)
        case let error as DatabaseError where SQLiteCode.isOfDamage(error):
            Damage(path: path, cause: error.message)
        default: nil
        }
    }

    /// Damage behind a failed constraint: in an undamaged ledger no statement violates one.
    private func damage(behind error: any Error) -> Damage? {
        guard let error = error as? DatabaseError, SQLiteCode.isOfConstraint(error.code),
            let found = try? inTurn({
                try file.find().map { directory in
                    try reading(in: directory) { try $0.value("PRAGMA integrity_check(1)").string }
                }
            }), found != "ok"
        else { return nil }
        return Damage(path: path, cause: found)
    }

    private func setAside(_ damage: Damage) throws {
        let identity = FileFacts(at: damage.path)?.identity
        guard let aside = try file.setAside(damage.path, identity: identity) else { return }
        say(
            .damage(
                StateDamage(
                    path: damage.path,
                    reason:
                        "\(damage.path) was damaged (\(damage.cause)) and was moved to \(aside): \(Self.follows)",
                    hint: "inspect it with sqlite3, or remove it; pruned has created a new one")))
    }

    private func sayOldFiles() {
        let names = OldStateFiles.names(in: stateDirectory)
        if !names.isEmpty { say(.oldFiles(names)) }
    }

    func failure(_ error: any Error, _ operation: String) -> StoreError {
        switch error {
        case let error as StoreError: return error
        case let error as LedgerFile.Refused:
            return .system(error.code, operation: operation, place: error.path, hint: error.hint)
        case let error as DatabaseError:
            return StoreError(
                SQLiteCode.kind(of: error.code), operation: operation, place: path,
                cause: "\(error.message) (SQLite \(error.code))", hint: SQLiteCode.hint(for: error.code))
        default:
            return StoreError(.other, operation: operation, place: path, cause: "\(error)")
        }
    }
}

/// What a person should know about the ledger.
package enum LedgerNotice: Sendable {
    /// The ledger was damaged and has been set aside.
    case damage(StateDamage)
    /// A new ledger was created beside state files of an older version. Nothing reads them. These are their names.
    case oldFiles([String])
}
