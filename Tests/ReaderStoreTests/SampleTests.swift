import Foundation
import GRDB
import ReaderStore
import TestSupport
import Testing

@testable import reader

@Suite struct SampleTests {
    static let now: Int64 = 1_795_219_200
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("the same number of records at the same time gives the same rows")
    func sampleIsRepeatable() throws {
        let other = try TemporaryDirectory()
        let rows = try [directory.store, other.store].map { path in
            _ = try Sample(records: 500, now: Self.now).fill(storeAt: path)
            return try DatabaseQueue(path: path).read { db in
                try ["read_record", "tweet", "user", "feed", "article", "item"].map {
                    try Row.fetchAll(db, sql: "SELECT * FROM \($0)")
                }
            }
        }
        #expect(rows[0] == rows[1])
    }

    @Test("tables are scaled by the records", arguments: [(1, 1, 2), (1_000, 100, 4), (100_000, 10_000, 40)])
    func tablesAreScaled(records: Int, tenth: Int, feeds: Int) throws {
        let counts = Dictionary(
            uniqueKeysWithValues: try Sample(records: records, now: Self.now).fill(storeAt: directory.store))
        #expect(counts["read_record"] == records)
        #expect(counts["tweet"] == tenth)
        #expect(counts["item"] == tenth)
        #expect(counts["feed"] == feeds)
        #expect(counts["article"] == feeds * 20)
    }

    @Test(
        "rows cover the days, and none is about to expire",
        arguments: [
            ("read_record", "created_at", 50, 30), ("tweet", "created_at", 50, 30),
            ("item", "timestamp", 300, 183),
        ])
    func rowsCoverTheDays(table: String, column: String, days: Int64, kept: Int64) throws {
        let ages = try filled().read { db in
            try Int64.fetchAll(db, sql: "SELECT \(Self.now) - \(column) FROM \(table)")
        }
        let day: Int64 = 86_400
        let cutoff = kept * day
        #expect(ages.allSatisfy { (0...days * day).contains($0) })
        #expect(ages.allSatisfy { abs($0 - cutoff) >= 7_199 })
        #expect(Set(ages.map { $0 / day }).count == Int(days))
        let expired = Double(ages.filter { $0 > cutoff }.count) / Double(ages.count)
        #expect(abs(expired - Double(days - kept) / Double(days)) < 0.01)
    }

    @Test(
        "ids follow time",
        arguments: [("read_record", "created_at"), ("tweet", "created_at"), ("item", "timestamp")])
    func idsFollowTime(table: String, column: String) throws {
        let times = try filled().read {
            try Int64.fetchAll($0, sql: "SELECT \(column) FROM \(table) ORDER BY id")
        }
        #expect(times == times.sorted())
    }

    @Test("every second tweet is read, and its record has its time")
    func everySecondTweetIsRead() throws {
        let (read, tweets, astray) = try filled().read { db in
            let join = "SELECT count(*) FROM tweet JOIN read_record r ON r.id = CAST(tweet.id AS TEXT)"
            return (
                try Int.fetchOne(db, sql: join), try Table("tweet").fetchCount(db),
                try Int.fetchOne(db, sql: join + " WHERE r.created_at <> tweet.created_at")
            )
        }
        #expect(read == tweets / 2)
        #expect(astray == 0)
    }

    @Test("half of the feeds are stale, and the others stay fresh for a while")
    func halfOfTheFeedsAreStale() throws {
        let left = try filled().read { db in
            try Int64.fetchAll(db, sql: "SELECT expires_at - \(Self.now) FROM feed")
        }
        #expect(left.filter { $0 < 0 }.count == left.count / 2)
        #expect(left.allSatisfy { $0 < 0 || $0 > 1_100 })
    }

    @Test("the program says what stands in the store, and will not add to it")
    func programFillsOnce() throws {
        let arguments = ["--state-dir", directory.path + "/new", "--records", "1000"]
        let first = try Program.sample(arguments).run()
        #expect(first.status == 0)
        #expect(
            first.output == """
                read_record       1000
                tweet              100
                user                 5
                feed                 4
                article             80
                item               100

                """)
        let second = try Program.sample(arguments).run()
        #expect(second.status == 1)
        #expect(second.output.isEmpty)
        #expect(second.errors.contains("its table read_record has rows already"))
        let records = try DatabaseQueue(path: directory.path + "/new/shared/reader.sqlite").read {
            try Table("read_record").fetchCount($0)
        }
        #expect(records == 1_000)
    }

    @Test("without the option the state directory is the environment's")
    func environmentNamesTheDirectory() throws {
        let result = try Program.sample(
            ["--records", "1"], environment: ["STATE_DIRECTORY": directory.path]
        ).run()
        #expect(result.status == 0)
        #expect(status(of: directory.defaultStore) != nil)
    }

    @Test(
        "a failure has its exit status",
        arguments: [
            (["--records", "0"], 64), (["--records", "many"], 64), (["--state-dir", ""], 64),
            (["--such"], 64),
            (["--state-dir", "/proc/none"], 74), (["--state-dir", "/dev/null"], 74),
        ])
    func failureHasItsStatus(arguments: [String], status: Int) throws {
        let result = try Program.sample(arguments).run()
        #expect(result.status == Int32(status))
        #expect(result.output.isEmpty)
        #expect(!result.errors.isEmpty)
    }

    @Test("a store that is none is reported as bad data")
    func badStoreIsBadData() throws {
        try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: directory.store))
        #expect(try Program.sample(["--state-dir", directory.path]).run().status == 65)
    }

    private func filled() throws -> DatabaseQueue {
        _ = try Sample(records: 20_000, now: Self.now).fill(storeAt: directory.store)
        return try DatabaseQueue(path: directory.store)
    }
}
