import SQLite
import TestSupport
import Testing

@testable import SQLitePruning

/// The texts that SQLite takes for a number between two are where they are looked for.
struct NumeralRangeTests {
    /// One of the ways to write a number of these digits, or nearly it.
    private static func spelling(of digits: String, using generator: inout SeededGenerator) -> String {
        func one(of texts: String...) -> String { texts.randomElement(using: &generator) ?? "" }
        let whole = Int.random(in: 0...digits.count, using: &generator)
        let (first, rest) = (String(digits.prefix(whole)), String(digits.dropFirst(whole)))
        let zeros = String(repeating: "0", count: whole)
        let number = [
            digits, "\(digits).\(one(of: "", "0", "4", "9", "49999999"))", "\(digits)\(zeros)e-\(whole)",
            "\(first).\(rest)\(one(of: "e", "E", "e+", "E+00"))\(rest.count)",
            "\(first)\(one(of: "e", "E"))\(rest.count)",
        ].randomElement(using: &generator)
        let before =
            one(of: "", "", "", " ", "\t\n") + one(of: "", "", "", "+", "-") + one(of: "", "", "0", "000")
        return before + (number ?? "") + one(of: "", "", "", " ", "x", "0")
    }

    private static func number(_ digits: Int, using generator: inout SeededGenerator) -> Int64 {
        let first = (1..<digits).reduce(Int64(1)) { power, _ in power * 10 }
        let last = digits == 19 ? Int64.max : first * 10 - 1
        return Int64.random(in: first...last, using: &generator)
    }

    @Test(
        "every text that SQLite takes for a number between two is in the ranges, or is found as one with a point",
        arguments: [1, 2, 3, 5, 15, 16, 17, 18, 19])
    func holdAll(digits: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = SeededGenerator(seed: seed)
        let db = try Database(uri: ":memory:", isReadOnly: false, busyTimeout: 0)
        try db.execute("CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY)")
        let schema = try #require(try TableSchema("t", in: db))
        let key = "t.id COLLATE BINARY"
        var (inRanges, dotted) = (0, 0)
        for _ in 0..<4_000 {
            let one = Self.number(digits, using: &generator)
            let distances: [Int64] = [0, 3, one / 1_000, one / 10, one / 2]
            let distance = distances.randomElement(using: &generator) ?? 0
            let other = max(1, one - distance)
            let limits = ["lowest": DatabaseValue.int64(other), "highest": .int64(one)]
            let text = Self.spelling(
                of: String(Int64.random(in: max(1, other - 1)...one, using: &generator)), using: &generator)
            try db.execute("DELETE FROM t")
            try db.execute("INSERT INTO t VALUES (:text)", ["text": .text(text)])
            guard let range = NumeralRange(other, one),
                try db.row(
                    "SELECT 1 FROM t WHERE id >= CAST(:lowest AS INTEGER) AND id <= CAST(:highest AS INTEGER)",
                    limits) != nil
            else { continue }
            let isDotted = try range.areAnyDotted(key, of: schema, in: db)
            let places = NumeralRange.holds(key)
            let isInRanges = try db.row("SELECT 1 FROM t WHERE \(places)", range.values) != nil
            #expect(isInRanges != isDotted, "\(text) for \(other) to \(one), seed \(seed)")
            if isDotted { dotted += 1 } else { inRanges += 1 }
        }
        // The test would else show nothing. Of 19 digits few with a point are between two numbers.
        let tellsDotted = dotted > 0 || [1, 19].contains(digits)
        #expect(inRanges > 200 && tellsDotted, "\(inRanges), \(dotted), seed \(seed)")
    }

    @Test(
        "there are no ranges for numbers below 1, of different lengths, or at the end of all",
        arguments: [(-5, 5), (0, 5), (1, 5), (7, 12), (5, 2), (Int64.max - 1, Int64.max)])
    func none(lowest: Int64, highest: Int64) {
        #expect(NumeralRange(lowest, highest) == nil)
    }

    @Test("numbers older than all that the keeper has are outside, and so are most ids at random")
    func outside() throws {
        let range = try #require(NumeralRange(1_885_312_071_893_441_232, 1_896_168_391_232_998_950))
        for text in [
            "1874071893441232000", "1885112071893441232", "3F2504E0-4F89-41D3-9A0C-0305E82C3301", "x",
        ] {
            #expect(text >= "1" && (text < range.from || text >= range.past))
        }
        #expect("1890000000000000000" >= range.from && "1890000000000000000" < range.past)
    }
}
