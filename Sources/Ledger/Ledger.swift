// Dispatch objects are safe to use from any thread; on Linux they are not yet declared so.
@preconcurrency import Dispatch
import FoundationEssentials
import Glibc
import Pruning
import SQLite
import Synchronization

/// All that pruned remembers in a state directory; see `LedgerSchema` for what that is.
///
/// It is opened for each thing that is asked or written, so that a service which does nothing holds nothing. What goes wrong
/// with it never costs a row of a store: what cannot be read is as if it was not there, which is how a guard meets a new rule,
/// and what cannot be written is said.
package final class Ledger: Sendable {
    /// The directory that it is in.
    package let stateDirectory: String
    private let file: LedgerFile
    private let say: @Sendable (LedgerNotice) -> Void
    /// Only one thread of the process at a time: SQLite polls for a lock.
    private let turn = DispatchSemaphore(value: 1)
    /// Whether it was locked when it was last used: a run that has waited once does not wait at each turn.
    private let wasLocked = Atomic(false)

    /// How long it waits for a lock, in milliseconds.
    private let patience: CInt

    private static let impatience: CInt = 100

    /// The ledger of a state directory; `say` is told what a person should know of it. `patience`: how long it waits for a lock,
    /// in milliseconds: whoever has it writes a few pages.
    package init(
        stateDirectory: String, patience: CInt = 5_000,
        say: @escaping @Sendable (LedgerNotice) -> Void = { _ in }
    ) {
        self.stateDirectory = stateDirectory
        self.patience = patience
        self.say = say
        file = LedgerFile(directory: LedgerDirectory(stateDirectory: stateDirectory))
    }

    /// Where it is.
    package var path: String { file.path }

    /// Whether this process is of the user who may write to it; nil where there is no state directory yet.
    package var isOwn: Bool? { file.directory.owner.map { $0 == geteuid() } }

    /// Reads it by `body`; `empty` where there is none yet, or it is damaged.
    ///
    /// Throws where it is there and cannot be read: ``StoreError/Kind-swift.enum/busy`` or
    /// ``StoreError/Kind-swift.enum/inputOutput``.
    package func read<Result>(
        or empty: Result, _ body: (LedgerTables) throws -> Result
    ) throws(StoreError) -> Result {
        try examine(or: empty, body).result
    }

    /// The same, and why it counts as empty where it is damaged: what a person is shown of it must not look as if nothing had
    /// ever run.
    package func examine<Result>(
        or empty: Result, _ body: (LedgerTables) throws -> Result
    ) throws(StoreError) -> (result: Result, damage: StateDamage?) {
        do {
            let result = try inTurn {
                guard let directory = try file.find() else { return empty }
                return try reading(in: directory) { db in
                    guard try !LedgerSchema.isEmpty(db) else { return empty }
                    try LedgerSchema.check(db)
                    return try body(LedgerTables(db: db))
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

    /// The same for who goes on without it: `empty` where it cannot be read, too.
    package func readIfPossible<Result>(
        or empty: Result, _ body: (LedgerTables) throws -> Result
    ) -> Result {
        (try? read(or: empty, body)) ?? empty
    }

    /// Changes it by `body`, all or nothing, and returns once that is on the disk; what is not `isDurable` may be lost in a power
    /// cut. Makes it where it is missing, and begins anew where it is damaged. `purpose`: what for, as "remember the last
    /// runs".
    ///
    /// Throws ``StoreError/Kind-swift.enum/busy``, ``StoreError/Kind-swift.enum/full`` or
    /// ``StoreError/Kind-swift.enum/inputOutput``.
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

    /// Makes it where it is missing, and sets it aside where it is damaged: before a run, so that this finds what it will write to.
    package func prepare() throws(StoreError) {
        try write("prepare to remember what is done") { try $0.checkAll() }
    }

    /// What is wrong with it; nil when it can be understood, or there is none. Looks at it, and changes nothing.
    package func findDamage() throws(StoreError) -> StateDamage? {
        try examine(or: ()) { try $0.checkAll() }.damage
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
            // With less, the journal may be there again after a power cut, and what was told as done is rolled back.
            try db.execute("PRAGMA synchronous = \(isDurable ? "EXTRA" : "NORMAL")")
            try LedgerSchema.prepare(db)
            try db.beginImmediate()
            do {
                let result = try body(LedgerTables(db: db))
                try db.commit()
                return (result, isNew)
            } catch {
                db.rollback()
                throw error
            }
        }
        if isNew { sayOldFiles() }
        return result
    }

    private func inTurn<Result>(isWriting: Bool = false, _ body: () throws -> Result) rethrows -> Result {
        turn.wait()
        defer { turn.signal() }
        do {
            let result = try body()
            // Who only reads may meet with no lock where a writer would.
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
            // What a killed writer left is to be rolled back, which only its user can.
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

    /// A connection for what is written often and need not outlive the machine, see ``ConfirmedRest``.
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
    /// The file of metrics that was written last, where that is not the one at `path`, nor gone, nor another's by now.
    package func abandonedMetrics(for path: String?) -> String? {
        guard let old = readIfPossible(or: nil, { try $0.metrics()?.file }), old != path else { return nil }
        return MetricsFile(path: old, stateDirectory: stateDirectory).isOwn ? old : nil
    }
}

/// What goes wrong with it.
extension Ledger {
    /// What is no ledger, and why.
    private struct Damage {
        let path: String
        let cause: String
    }

    private func damage(_ error: any Error) -> Damage? {
        switch error {
        case let error as LedgerFile.Foreign: Damage(path: error.path, cause: error.cause)
        case let error as LedgerDirectory.Foreign: Damage(path: error.path, cause: error.reason.cause)
        case let error as LedgerSchema.Mismatch: Damage(path: path, cause: error.cause)
        case let error as LedgerTables.Unreadable: Damage(path: path, cause: error.cause)
        case let error as DatabaseError where SQLiteCode.ofDamage.contains(error.code & 0xFF):
            Damage(path: path, cause: error.message)
        default: nil
        }
    }

    /// What SQLite finds in it where a constraint failed, which no statement here ever meets in a whole one.
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
            let owner = error.owner.map { owner in
                "only \(Account.user(owner)) can write to it: run as that user, or as root"
            }
            let isRefused = error.code == EACCES || error.code == EPERM
            return .system(
                error.code, operation: operation, place: error.path,
                hint: owner
                    ?? (isRefused
                        ? "run as root, as the directory's owner, or as a member of its group" : nil))
        case let error as DatabaseError:
            return StoreError(
                SQLiteCode.kind(of: error.code), operation: operation, place: path,
                cause: "\(error.message) (SQLite \(error.code))", hint: SQLiteCode.hint(for: error.code))
        default:
            return StoreError(.other, operation: operation, place: path, cause: "\(error)")
        }
    }
}

extension LedgerDirectory.Foreign.Reason {
    fileprivate var cause: String {
        switch self {
        case .noDirectory: "it is not a directory"
        case .owner(let user): "it belongs to \(Account.user(user))"
        case .writableByOthers: "others can write to it"
        }
    }
}

/// What a person should know of the ledger.
package enum LedgerNotice: Sendable {
    /// It was damaged, and is set aside.
    case damage(StateDamage)
    /// It was begun beside state files of a version before it, of these names, which nothing reads.
    case oldFiles([String])
}
