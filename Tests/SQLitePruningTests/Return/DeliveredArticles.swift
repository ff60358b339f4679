import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// Articles of an app: `g1` to `g10` are expired, `n1` to `n3` are not. What a rule deletes is archived, and looked for.
struct DeliveredArticles {
    let store: ArchivedStore
    var rule: RetentionRule
    /// The hour of the next run.
    private var hour = 0.0

    /// What a table may be: as most apps have it, without rowids, with an index on the time, with a log.
    enum Kind: CaseIterable, Sendable {
        case plain, withoutRowID, indexed, indexedByDay, inWAL, undated
    }

    init(_ kind: Kind = .plain, action: RowAction = .delete, identity: [String] = ["feed", "guid"]) throws {
        store = try ArchivedStore(
            """
            \(kind == .inWAL ? "PRAGMA journal_mode = WAL;" : "")
            CREATE TABLE t (id INTEGER PRIMARY KEY, feed TEXT, guid, at INTEGER, gone INTEGER NOT NULL DEFAULT 0)
                \(kind == .withoutRowID ? "WITHOUT ROWID" : "");
            \(kind == .indexed ? "CREATE INDEX i ON t (at);" : "")
            \(kind == .indexedByDay ? "CREATE INDEX i ON t (at / 86400);" : "")
            CREATE TABLE kept (article INTEGER UNIQUE);
            INSERT INTO t (id, feed, guid, at)
                SELECT value, 'f', 'g' || value, \(old) - value FROM json_each('[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]');
            INSERT INTO t (id, feed, guid, at) VALUES (11, 'f', 'n1', \(fresh)), (12, 'f', 'n2', \(fresh)),
                (13, 'f', 'n3', \(fresh));
            INSERT INTO kept VALUES (11), (12), (13);
            """)
        rule = .archiving()
        (rule.action, rule.identity) = (action, identity)
        if kind == .undated {
            rule.expiry = .orphan
            rule.keptBy = [ColumnReference(table: "kept", column: "article")]
        }
    }

    /// One run an hour. Reports what it did.
    mutating func run() -> RuleReport {
        defer { hour += 1 }
        return store.prune(rule, at: runStart.addingTimeInterval(hour * 3_600)).rules[0]
    }

    /// The app stores an article.
    func deliver(_ guid: String, id: String = "NULL", feed: String = "f", at: Int64 = fresh) throws {
        try app.execute(
            """
            INSERT INTO t (id, feed, guid, at)
            SELECT coalesce(\(id), max(id) + 1, 1), '\(feed)', \(guid), \(at) FROM t;
            INSERT OR IGNORE INTO kept SELECT max(id) FROM t;
            """)
    }

    var app: TemporaryStore { store.app }

    /// What another program does to the archive.
    func inArchive(_ sql: String) throws { try SQLiteShell(store.archivePath).run(sql) }

    func ids() throws -> [Int64] { try app.integers("SELECT id FROM t ORDER BY id") }
}
