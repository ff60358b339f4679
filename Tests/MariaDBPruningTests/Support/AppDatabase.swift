import Archive
import Foundation
import Pruning
import Retention
import SQLitePruning
import Synchronization
import TestSupport

@testable import MariaDBPruning

/// An app's database, the store `s` of a policy, and an archive of what is deleted from it.
struct AppDatabase {
    let database: MariaDBDatabase
    private let directory: TemporaryDirectory

    /// Runs `sql` in a session whose zone is UTC, and which takes zero dates and backslashes as they are.
    init(_ sql: String = "", on server: MariaDBServer? = nil) throws {
        database = try (server ?? MariaDBServer.shared).createDatabase()
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: directory.path + "/ledger", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o750])
        try run(sql)
    }

    /// Rows `first` to `last` of a table `t (id, at)`: those up to `expired` are old, the others are not.
    static func rows(_ last: Int, expired: Int? = nil, from first: Int = 1) -> String {
        """
        INSERT INTO t (id, at) SELECT seq, IF(seq <= \(expired ?? last), '2026-01-01', '2026-11-19')
        FROM seq_\(first)_to_\(last);

        """
    }

    /// A table `t (id, at)` with such rows.
    static func table(_ last: Int, expired: Int? = nil, also columns: String = "") -> String {
        "CREATE TABLE t (id int PRIMARY KEY, at timestamp NULL\(columns)); " + rows(last, expired: expired)
    }

    /// Runs statements as the app.
    @discardableResult
    func run(_ sql: String) throws -> [[String?]] {
        guard !sql.isEmpty else { return [] }
        return try database.run(Self.session + sql)
    }

    static let session = "SET SESSION time_zone = '+00:00', sql_mode = 'NO_BACKSLASH_ESCAPES';\n"

    /// The number that a query finds.
    func count(_ sql: String) throws -> Int { try run(sql).last?.first?.flatMap { Int($0) } ?? -1 }

    /// The number of rows of a table.
    func rows(of table: String = "t") throws -> Int { try count("SELECT count(*) FROM \(table)") }

    var archive: ArchiveFile {
        ArchiveFile(stateDirectory: directory.path, of: "s", limit: ArchiveLimit(ByteCount(1_000_000_000)))
    }

    func store(
        _ rules: [RetentionRule] = [], gate: StoreGate? = nil, user: String = "root",
        lockTime: Duration = .milliseconds(25)
    ) throws -> MariaDBStore {
        let url = database.url(user: user)
        var definition = StoreDefinition(name: "s", kind: .mariadb(try ConnectionString(url)))
        definition.gate = gate
        return MariaDBStore(
            definition, url: url, archive: archive, rules: rules, lockTime: LockTime(lockTime),
            monotonic: systemMonotonic)
    }

    /// What a run of `rule` reports. `afterBatch` is called between two batches, with the number of those before.
    func prune(
        _ rule: RetentionRule = .old(), dryRun: Bool = false, accessPath: AccessPath? = nil,
        gate: StoreGate? = nil, user: String = "root", lockTime: Duration = .milliseconds(25),
        afterBatch: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) throws -> RuleReport {
        let batches = Mutex(0)
        let failed = Mutex<(any Error)?>(nil)
        let store = try store([rule], gate: gate, user: user, lockTime: lockTime)
        let report = PruneRun.report([rule], on: [store], dryRun: dryRun, accessPath: accessPath) { event in
            guard case .batchCommitted = event else { return }
            let number = batches.withLock { batches in
                batches += 1
                return batches
            }
            do { try afterBatch(number) } catch { failed.withLock { $0 = $0 ?? error } }
        }
        if let error = failed.withLock({ $0 }) { throw error }
        return report.rules[0]
    }

    /// All that the archive has, put back.
    func restore(user: String = "root") throws -> [RestoreReport] {
        let store = try store(user: user)
        return try archive.parts(RunControl(monotonic: systemMonotonic)).map { part in
            RestoreRun(
                part, into: store, leaseEnd: runStart.addingTimeInterval(30 * 86_400),
                settings: RunSettings(patience: .milliseconds(200), monotonic: systemMonotonic),
                control: RunControl(monotonic: systemMonotonic)
            ).execute()
        }
    }

    /// A gate that knows the database as it is, with triggers that may fire.
    func gate(of tables: [String] = ["t"], allowing triggers: Set<String>) throws -> StoreGate {
        let connection = try connection()
        defer { connection.close() }
        let schema = try StoreSchema(of: tables, in: connection)
        return StoreGate([.init(versions: "1.0", schema)], triggers: triggers)
    }

    /// A connection as a run has it.
    func connection() throws -> Connection {
        try Connection(
            Address(text: database.url, place: "the database"), RunControl(monotonic: systemMonotonic))
    }
}

extension RetentionRule {
    /// Rows of `table` go 30 days after `at`.
    static func old(
        _ table: String = "t", dependents: Set<String> = [], archives: Bool = false
    ) -> RetentionRule {
        RetentionRule(
            name: "old", store: "s", table: table, expiry: .age(column: "at", keep: Span(30, .day)),
            dependents: dependents, holdLimits: .noneAtAll, archiveKeep: archives ? Span(30, .day) : nil)
    }
}
