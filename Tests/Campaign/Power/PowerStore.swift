import Foundation
import TestSupport

/// How the store of a case is made.
struct PowerStore: CustomStringConvertible {
    static let state = "/srv/state"
    static let path = state + "/app.sqlite"
    static let archive = state + "/archive/app/archive.sqlite"
    static let ledger = state + "/ledger/state.sqlite"
    /// The rows of `big`; by default the guard holds a rule that would delete so many of them.
    static let (bigLive, bigOld) = (300, 750)

    /// The rows of `plain`, which has no key: many are the same. All have expired.
    static let plainRows = 300

    private let journal: String
    private let pageSize: Int
    private let vacuum: String
    private let hasIndex: Bool
    /// How many bytes a row of `plain` has. With many the archive's log is checkpointed, and begun again, within a run.
    private let width: Int

    init(by generator: inout SeededGenerator) {
        journal = ["wal", "wal", "delete", "truncate", "persist"].randomElement(using: &generator) ?? "wal"
        pageSize = [512, 1024, 4096, 8192].randomElement(using: &generator) ?? 4096
        vacuum = Bool.random(using: &generator) ? "INCREMENTAL" : "NONE"
        hasIndex = Bool.random(using: &generator)
        width = [10, 10, 30_000].randomElement(using: &generator) ?? 10
    }

    var description: String {
        "journal mode \(journal), pages of \(pageSize), vacuum \(vacuum), \(hasIndex ? "an index" : "no index"), width \(width)"
    }

    /// Opens it as the app does: what is committed then is on the disk.
    func open() throws -> StoreFile {
        let app = try StoreFile(Self.path, patience: .seconds(30))
        if journal != "wal" { try app.execute("PRAGMA journal_mode = \(journal)") }
        // Without EXTRA the journal may be back after a cut, and undo the transaction.
        try app.execute("PRAGMA synchronous = \(journal == "delete" ? "EXTRA" : "FULL")")
        return app
    }

    /// Makes it in the mounted file system.
    func make(at now: Int64) throws {
        try FileManager.default.createDirectory(atPath: Self.state, withIntermediateDirectories: false)
        let app = try StoreFile(Self.path)
        try app.execute(
            """
            PRAGMA page_size = \(pageSize); PRAGMA auto_vacuum = \(vacuum); PRAGMA journal_mode = \(journal);
            BEGIN;
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL);
            CREATE TABLE event (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL);
            CREATE TABLE big (id INTEGER PRIMARY KEY, at INTEGER NOT NULL);
            CREATE TABLE plain (name TEXT, at INTEGER, body TEXT);
            CREATE TABLE acked (number INTEGER PRIMARY KEY);
            \(hasIndex ? "CREATE INDEX item_at ON item (at); CREATE INDEX event_at ON event (at);" : "")
            """)
        let model = PowerModel()
        let old = model.old.sorted().map { ($0, PowerModel.time(ofOld: $0), PowerModel.text(of: $0)) }
        let live = model.live.keys.sorted().map { ($0, now, PowerModel.text(of: $0)) }
        for (row, time, text) in old + live {
            try app.execute("INSERT INTO item VALUES (\(row), \(time), '\(text)')")
        }
        try app.execute(
            """
            INSERT INTO event SELECT id, at, substr(body, 1, 200) FROM item;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.bigLive + Self.bigOld))
            INSERT INTO big SELECT i, iif(i <= \(Self.bigLive), \(now), 1600000000) FROM n;
            INSERT INTO plain
                SELECT 'n' || (id % 7), 1600000000 + id % 5, printf('%.*c', \(width), 'x') FROM item
                WHERE id <= \(Self.plainRows);
            COMMIT;
            CREATE TABLE filling AS SELECT zeroblob(\(Self.freePages * pageSize)) AS x; DROP TABLE filling;
            """)
    }

    /// So many that a run gives them back where the vacuum mode lets it.
    private static let freePages = 300

    /// How often each row of `plain` is there.
    static func copies() throws -> [String: Int] {
        let rows = try StoreFile(path).rows("SELECT name || ' at ' || at, count(*) FROM plain GROUP BY 1")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], Int($0[1]) ?? 0) })
    }

    /// How often each was there at first.
    static let copiesAtFirst = Dictionary(
        grouping: 1...plainRows, by: { "n\($0 % 7) at \(1_600_000_000 + $0 % 5)" }
    ).mapValues(\.count)

    /// The configuration, as a file in `directory`.
    static func configuration(in directory: String) throws -> String {
        let path = directory + "/pruned.toml"
        try """
        [batch]
        lock_time = "2ms"
        [store.app]
        path = "app.sqlite"
        reclaim = true
        [rule.item]
        table = "item"
        age_column = "at"
        keep = "30d"
        archive = true
        guard = { max_share = 1 }
        [rule.plain]
        table = "plain"
        age_column = "at"
        keep = "30d"
        archive = true
        guard = { max_share = 1 }
        [rule.event]
        table = "event"
        age_column = "at"
        keep = "30d"
        guard = { max_share = 1 }
        [rule.big]
        table = "big"
        age_column = "at"
        keep = "30d"
        """.write(toFile: path, atomically: false, encoding: .utf8)
        return path
    }
}
