import SQLite
import TestSupport
import Testing

@testable import SQLitePruning

/// The count of what an index by day has between two days.
struct LeapingCountTests {
    private static let tables = [
        "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL, x) WITHOUT ROWID;",
        "CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY COLLATE NOCASE, at INTEGER NOT NULL, x) WITHOUT ROWID;",
        "CREATE TABLE t (id TEXT COLLATE RTRIM, at INTEGER, x, PRIMARY KEY (id COLLATE BINARY)) WITHOUT ROWID;",
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
        let halves = Bool.random(using: &generator)
        return (0..<40).map { day in
            if day == crowded { return 2_000 }
            return halves ? 1_000 >> (day / 3) : max(0, Int.random(in: -most / 2...most, using: &generator))
        }
    }

    /// How many entries were passed by OFFSETs.
    private static func passed(_ statements: ArraySlice<String>) -> Int64 {
        statements.reduce(0) { sum, sql in
            guard let offset = sql.range(of: "OFFSET ") else { return sum }
            return sum + 1 + (Int64(sql[offset.upperBound...]) ?? 0)
        }
    }

    @Test(
        "it is exact, and passes no more than three entries for each, however many rows the days have, and in whatever order",
        arguments: tables, indexes)
    func exact(table: String, index: String) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10 {
            let trace = StatementTrace()
            let db = try Database(uri: ":memory:", isReadOnly: false, busyTimeout: 0)
            trace.follow(db)
            try db.execute(table)
            for (day, rows) in Self.rowsByDay(using: &generator).enumerated() where rows > 0 {
                // Three keys of a day are the same to who does not mind the spaces at their end.
                let key =
                    table.contains("RTRIM")
                    ? "printf('%d%*s', \(day) + 100 * (i / 3 * 7919 % 10007), i % 3, '')"
                    : "\(day) + 100 * (i * 7919 % 10007)"
                try db.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                    INSERT INTO t (id, at, x) SELECT \(key), \(day * 10) + i % 10, i % 7 FROM n
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
                let before = trace.statements.count
                let counted = try LeapingCount(table: schema, days: days, first: first, shortest: shortest)
                    .take(in: db)
                let place = "days \(days.first) to \(days.last), leaps of \(first), seed \(seed)"
                #expect(Self.passed(trace.statements[before...]) <= 3 * counted + 2 * first, "\(place)")
                let all = try db.value("SELECT count(*) FROM t NOT INDEXED WHERE \(days.whole)").integer
                #expect(counted == all, "\(place)")
            }
        }
    }

    @Test(
        "a few leaps pass nearly all; there is none where SQLite would sort the rows of a day for it, or read the table",
        arguments: [
            (tables[0], "at / 10, id, at", "", 3...12), (tables[4], "at / 10", "", 3...12),
            (tables[0], "at / 10, x", "", 0...0), (tables[4], "at / 10", "100000 100000", 0...0),
        ])
    func leaps(table: String, index: String, statistics: String, leaps: ClosedRange<Int>) throws {
        let trace = StatementTrace()
        let db = try Database(uri: ":memory:", isReadOnly: false, busyTimeout: 0)
        try db.execute(table)
        try db.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
            INSERT INTO t (id, at, x) SELECT i, i % 500, i % 7 FROM n
            """)
        try db.execute("CREATE INDEX t_day ON t (\(index))")
        if !statistics.isEmpty {
            try db.execute("ANALYZE t")
            try db.execute("UPDATE sqlite_stat1 SET stat = '\(statistics)' WHERE idx = 't_day'")
            try db.execute("ANALYZE sqlite_schema")
        }
        let schema = try #require(try TableSchema("t", in: db))
        let days = PastDays(entry: "\(schema.column("at")) / 10", first: -1, last: 40)
        trace.follow(db)
        #expect(
            try LeapingCount(table: schema, days: days, first: 1_000, shortest: 500).take(in: db) == 80_000)
        #expect(leaps.contains(trace.statements.count { $0.hasPrefix("SELECT") && $0.contains("OFFSET") }))
    }
}
