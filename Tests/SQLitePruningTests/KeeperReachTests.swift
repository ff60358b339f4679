import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// A keeper that loses rows to an earlier rule of the same run: what is predicted is what goes.
struct KeeperReachTests {
    /// A kept table and its keeper, of types that are compared in different ways.
    struct Layout: CustomTestStringConvertible, Sendable {
        let id: String
        let keeper: String
        let index: String
        var testDescription: String { "\(id), \(keeper), \(index)" }

        static let all = [
            ("TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL", "STRICT, WITHOUT ROWID"),
            ("TEXT PRIMARY KEY, at", ""), ("INTEGER PRIMARY KEY, at INTEGER", "STRICT"),
            ("PRIMARY KEY, at INTEGER", ""),
        ].flatMap { id, options in
            ["", "CREATE INDEX t_at ON t (at);", "CREATE INDEX t_day ON t (at / 86400, id, at);"].flatMap {
                index in
                ["INTEGER", "TEXT", "", "TEXT COLLATE NOCASE"].map {
                    Layout(id: "CREATE TABLE t (id \(id)) \(options);", keeper: $0, index: index)
                }
            }
        }

        /// An index on anything but integers does not serve integer keys: the keeper is read as a whole.
        var hasIntegerKey: Bool { id.contains("id INTEGER") }

        func schema(isIndexed: Bool) -> String {
            """
            \(id) \(index)
            CREATE TABLE child (t_id \(keeper), at INTEGER);
            \(isIndexed ? "CREATE INDEX child_t ON child (t_id);" : "")
            """
        }
    }

    private let childRule = RetentionRule.old("child", name: "keeper")
    private let rule = RetentionRule.old(keptBy: ColumnReference(table: "child", column: "t_id"))

    /// Numbers, and other ways to write them; what is none, too.
    private static let shortKeys =
        (-3...30).map { "'\($0)'" } + [
            "'007'", "' 7'", "'7 '", "'7.0'", "'70e-1'", "'x'", "'7x'", "''", "'X'",
        ]
    /// The same of numbers that all have as many digits.
    private static let longKeys =
        [1_497, 1_500, 1_506, 1_507, 1_509, 1_525].map { "'\($0)'" } + [
            "'001507'", "' 1507'", "'+1507'", "'1507 '", "'1507.0'", "'150.7e1'", "'1.507E3'", "'15070e-1'",
            "'15e2'", "'x'", "'1507x'", "'1E07-4A'", "'1'", "'15'", "'150799'",
        ]

    private func rows(_ layout: Layout, using generator: inout SeededGenerator) -> String {
        func time() -> Int64 { [old - 90_000, old, cutoff, fresh].randomElement(using: &generator) ?? old }
        let areLong = Bool.random(using: &generator)
        let keys = (areLong ? Self.longKeys : Self.shortKeys)
            .shuffled(using: &generator).prefix(Int.random(in: 1...12, using: &generator))
        let kept = keys.map { key in
            "(\(layout.hasIntegerKey ? "CAST(\(key) AS INTEGER)" : key), \(time()))"
        }
        // Often many more than the rows that they keep, of two stretches, some of them several times.
        let numbers = Bool.random(using: &generator) ? Array(-5...9) : Array(20...40) + (areLong ? [] : [-4])
        let others = Bool.random(using: &generator) ? ["NULL", "5.5", "'x'", "'7x'", "x'37'"] : ["NULL"]
        let keepers = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
            let isOther = Int.random(in: 0..<20, using: &generator) == 0
            let key = isOther ? others.randomElement(using: &generator) : nil
            let number = (numbers.randomElement(using: &generator) ?? 0) + (areLong ? 1_500 : 0)
            return "(\(key ?? String(number)), \(time()))"
        }
        return "INSERT OR IGNORE INTO t VALUES \(kept.joined(separator: ", "));"
            + (keepers.isEmpty ? "" : "INSERT INTO child VALUES \(keepers.joined(separator: ", "));")
    }

    @Test(
        "a plan and a dry run count the rows that a run deletes, whatever the keeper loses",
        arguments: Layout.all)
    func random(layout: Layout) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for round in 0..<8 {
            let app = try TemporaryStore(
                layout.schema(isIndexed: round % 2 == 0) + rows(layout, using: &generator))
            let plain = try app.integers(
                """
                SELECT count(*) FROM t WHERE at <= \(old)
                AND NOT EXISTS (SELECT 1 FROM child WHERE t_id = t.id AND at > \(old))
                """)
            let predicted = app.prune(childRule, rule, dryRun: true).rules[1].expired
            let planned = try ages(app).census.expired
            let deleted = app.prune(childRule, rule).rules[1].deleted
            #expect(deleted == plain.first, "seed \(seed)")
            #expect(predicted == deleted, "seed \(seed)")
            #expect(planned == deleted, "seed \(seed)")
        }
    }

    @Test("a keeper is passed no farther than the rows that ask for it are many, and the count stays exact")
    func passed() throws {
        for kept in [1, 3, 50, 97, 99] {
            let app = try TemporaryStore(
                """
                CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER) STRICT;
                CREATE TABLE child (t_id INTEGER PRIMARY KEY, at INTEGER) STRICT;
                INSERT INTO t VALUES (\(kept), \(old)), (100, \(old)), (101, \(old));
                WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
                INSERT INTO child SELECT i, iif(i = \(kept), \(fresh), \(old)) FROM n;
                """)
            #expect(try ages(app).census.expired == 2)
            #expect(app.prune(childRule, rule).rules[1].deleted == 2)
        }
    }

    @Test(
        "a keeper's number keeps a row by whatever way the row writes it",
        arguments: [
            "1507", "01507", " 1507", "\n1507", "+1507", "1507 ", "1507.0", "1507.", "1.507e3", "150.7E+1",
            "15070e-1", "0.1507e4", ".1507e4", " +00015.07e2",
        ])
    func spelled(id: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE INDEX t_day ON t (at / 86400, id, at);
            CREATE TABLE child (t_id INTEGER PRIMARY KEY, at INTEGER) STRICT;
            INSERT INTO t VALUES ('\(id)', \(old - 90_000)), ('1506', \(old - 90_000)), ('1E07-4A', \(old));
            INSERT INTO child VALUES (1507, \(fresh)), (1509, \(fresh));
            """)
        #expect(try ages(app).census.expired == 2)
        #expect(app.prune(childRule, rule).rules[1].deleted == 2)
        #expect(try app.texts("SELECT id FROM t") == [id])
    }

    private func ages(_ app: TemporaryStore) throws -> AgeProfile {
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let first = PruneTask(childRule, start: runStart, in: .gmt)
        return try view.ages(of: PruneTask(rule, start: runStart, in: .gmt, presumedDone: [first]))
    }
}
