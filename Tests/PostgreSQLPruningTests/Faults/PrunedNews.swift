import Foundation
import Pruning
import TestSupport
import Retention
import Synchronization

@testable import PostgreSQLPruning

/// A database with an app's articles, of an owner, and a role that prunes them.
///
/// Two of three articles have expired; every tenth has a star.
final class PrunedNews: Sendable {
    let database: PostgreSQLDatabase
    let owner: String
    let role: String
    let articles: Int

    /// So many fill more pages than two batches visit, however fast they are.
    static let usual = 6_000

    /// `sql` is run by the owner after the articles are there.
    init(on server: PostgreSQLServer? = nil, articles: Int = PrunedNews.usual, _ sql: String = "") throws {
        let server = try server ?? PostgreSQLServer.shared
        (owner, role) = (try server.createRole(), try server.createRole())
        database = try server.createDatabase(owner: owner)
        self.articles = articles
        try database.psql(
            """
            CREATE TABLE items (id int PRIMARY KEY, at timestamptz NOT NULL, starred bool NOT NULL, body text NOT NULL);
            INSERT INTO items SELECT n, timestamptz '2026-11-19 12:00Z' - interval '99 days' * (n % 3)::int, n % 10 = 0,
            repeat('x', 200) FROM generate_series(1, \(articles)) n;
            \(sql);
            GRANT SELECT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(role)
            """, user: owner)
    }

    static func hasExpired(_ id: Int) -> Bool { id % 3 != 0 && id % 10 != 0 }
    /// How many rows a run would delete.
    var expired: Int { (1...articles).filter(Self.hasExpired).count }

    /// How many articles are gone. Throws if one of them should have stayed, but for those of `allowed`.
    func gone(besides allowed: Set<Int> = []) throws -> Int {
        let left = Set(
            try database.psql("SELECT id FROM items").split(separator: "\n").compactMap { Int($0) })
        let gone = (1...articles).filter { !left.contains($0) }
        let wrong = gone.filter { !Self.hasExpired($0) && !allowed.contains($0) }
        guard wrong.isEmpty else { throw GoneWrongly(ids: wrong) }
        return gone.count
    }

    struct GoneWrongly: Error { let ids: [Int] }

    var rule: RetentionRule {
        RetentionRule(
            name: "old", store: "news", table: "items", expiry: .age(column: "at", keep: Span(30, .day)),
            protect: ["starred"], holdLimits: .noneAtAll)
    }

    /// The database as a store, at `url` if given.
    func store(
        at url: String? = nil, holder: String = "pruned test:1", maxLag: Span? = nil,
        maxSlotLog: ByteCount? = nil, rate: Int? = nil,
        lockTime: Duration = .milliseconds(25),
        monotonic: @escaping @Sendable () -> Duration = systemMonotonic
    ) throws -> PostgreSQLStore {
        let url = url ?? database.url(user: role)
        var definition = StoreDefinition(name: "news", kind: .postgresql(try ConnectionString(url)))
        (definition.maxLag, definition.maxSlotLog) = (maxLag, maxSlotLog)
        definition.maxRowsPerSecond = rate
        return PostgreSQLStore(
            definition, url: url, holder: holder, lockTime: LockTime(lockTime),
            monotonic: monotonic)
    }

    /// Runs the rule. `afterBatch` is called between two batches, with the number of those before.
    func run(
        _ rule: RetentionRule? = nil, on store: PostgreSQLStore? = nil, accessPath: AccessPath? = .walk,
        patience: Duration = .milliseconds(200), longestRelief: Duration = .seconds(60),
        control: RunControl = RunControl(monotonic: systemMonotonic),
        afterBatch: @escaping @Sendable (Int) -> Void = { _ in },
        onWait: @escaping @Sendable (StoreError) -> Void = { _ in }
    ) throws -> RuleReport {
        let batches = Mutex(0)
        let report = PruneRun.report(
            [rule ?? self.rule], on: [try store ?? self.store()], patience: patience,
            longestRelief: longestRelief, accessPath: accessPath, control: control
        ) { event in
            if case .waiting(_, let error, isLong: true) = event { onWait(error) }
            guard case .batchCommitted = event else { return }
            let number = batches.withLock { batches in
                batches += 1
                return batches
            }
            afterBatch(number)
        }
        return report.rules[0]
    }

    /// The processes of the role's connections that name themselves so.
    func backends(named application: String = "pruned") throws -> String {
        try database.psql(
            """
            SELECT pid FROM pg_stat_activity WHERE datname = '\(database.name)' AND usename = '\(role)'
            AND application_name = '\(application)'
            """)
    }

    /// A connection of the owner's, as the app has it.
    func app() throws -> Connection {
        try Connection(
            Address(text: database.url(user: owner), place: "app"), RunControl(monotonic: systemMonotonic))
    }
}

/// Runs `body` in a test's event handler, and keeps its error for the test.
final class Deed: Sendable {
    private let error = Mutex<(any Error)?>(nil)

    func perform(_ body: () throws -> Void) {
        do { try body() } catch { self.error.withLock { $0 = $0 ?? error } }
    }

    /// Throws the first error.
    func check() throws {
        if let error = error.withLock({ $0 }) { throw error }
    }
}
