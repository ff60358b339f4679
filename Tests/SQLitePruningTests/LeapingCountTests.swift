import TestSupport
import Testing

@testable import SQLitePruning

/// The count of what an index by day has between two days.
struct LeapingCountTests {
    private static let tables = [
        "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL, x) WITHOUT ROWID;",
        "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY COLLATE NOCASE, at INTEGER NOT NULL, x) WITHOUT ROWID;",
        "CREATE TABLE t (id TEXT NOT NULL, x, at INTEGER NOT NULL, PRIMARY KEY (x DESC, id)) WITHOUT ROWID;",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, x);",
        "CREATE TABLE t (id TEXT PRIMARY KEY, at INTEGER, x);",
    ]
    private static let indexes = [
        "at / 10", "at / 10 DESC", "at / 10, id, at", "at / 10, x", "at / 10, at", "at / 10) WHERE (x < 5",
        "x",
    ]

    /// How many rows each of 40 days has.
    private static func rowsByDay(using generator: inout SeededGenerator) -> [Int] {
        let most = [1, 3, 30, 300].randomElement(using: &generator) ?? 1
        let crowded = Int.random(in: 0..<80, using: &generator)
        return (0..<40).map { day in
            day == crowded
                ? 2_000 : max(0, Int.random(in: -most / 2...most, using: &generator))
        }
    }

    @Test("it is exact, however many rows the days have, and in whatever order", arguments: tables, indexes)
    func exact(table: String, index: String) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let db = try Database(uri: ":memory:", isReadOnly: false, busyTimeout: 0)
            try db.execute(table)
            for (day, rows) in Self.rowsByDay(using: &generator).enumerated() where rows > 0 {
                try db.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                    INSERT INTO t (id, at, x) SELECT i * 7919 % 10007 * 100 + \(day), \(day * 10) + i % 10, i % 7 FROM n
                    """)
            }
            try db.execute("CREATE INDEX t_day ON t (\(index))")
            let schema = try #require(try TableSchema("t", in: db))
            for _ in 0..<10 {
                let days = PastDays(
                    entry: "\(schema.column("at")) / 10", first: .random(in: -5...40, using: &generator),
                    last: .random(in: -5...45, using: &generator))
                let first = Int64.random(in: 1...50, using: &generator)
                let shortest = Int64.random(in: 1...first, using: &generator)
                let counted = try LeapingCount(table: schema, days: days, first: first, shortest: shortest)
                    .take(in: db)
                let all = try db.value("SELECT count(*) FROM t NOT INDEXED WHERE \(days.whole)").integer
                #expect(counted == all, "days \(days.first) to \(days.last), leaps of \(first), seed \(seed)")
            }
        }
    }

    @Test(
        "a few leaps pass nearly all, unless the rows of a day would have to be sorted for them",
        arguments: [("at / 10, id, at", 3...12), ("at / 10, x", 0...0)])
    func leaps(index: String, leaps: ClosedRange<Int>) throws {
        let db = try Database(uri: ":memory:", isReadOnly: false, busyTimeout: 0)
        try db.execute(Self.tables[0])
        try db.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO t (id, at, x) SELECT i, i % 500, i % 7 FROM n
            """)
        try db.execute("CREATE INDEX t_day ON t (\(index))")
        let schema = try #require(try TableSchema("t", in: db))
        let days = PastDays(entry: "\(schema.column("at")) / 10", first: -1, last: 40)
        let trace = StatementTrace()
        trace.follow(db)
        #expect(
            try LeapingCount(table: schema, days: days, first: 1_000, shortest: 500).take(in: db) == 80_000)
        #expect(leaps.contains(trace.statements.count { $0.hasPrefix("SELECT") && $0.contains("OFFSET") }))
    }
}
