import TestSupport
import Testing

@testable import MariaDBPruning

@Suite("A walk through a table by ranges of an index")
struct RangeWalkTests {
    private static let ranges: [(columns: [String], after: [String]?, upTo: [String]?, terms: [String])] = [
        (["a"], nil, nil, []),
        (["a"], ["1"], nil, ["a > 1"]),
        (["a"], nil, ["9"], ["a <= 9"]),
        (["a"], ["1"], ["9"], ["a > 1", "a <= 9"]),
        (
            ["a", "b"], ["1", "'x'"], ["9", "'y'"],
            [
                "(a >= 1 AND (a > 1 OR a = 1 AND b > 'x'))",
                "(a <= 9 AND (a < 9 OR a = 9 AND b <= 'y'))",
            ]
        ),
        (
            ["a", "b", "c"], ["1", "2", "3"], nil,
            ["(a >= 1 AND (a > 1 OR a = 1 AND (b >= 2 AND (b > 2 OR b = 2 AND c > 3))))"]
        ),
        (
            ["a", "b", "c"], nil, ["1", "2", "3"],
            ["(a <= 1 AND (a < 1 OR a = 1 AND (b <= 2 AND (b < 2 OR b = 2 AND c <= 3))))"]
        ),
    ]

    @Test("a range is told by bounds of each column of the key", arguments: ranges)
    func terms(columns: [String], after: [String]?, upTo: [String]?, terms: [String]) {
        let walk = RangeWalk(columns, by: "PRIMARY")
        #expect(walk.terms(RangeWalk.Range(after: after, upTo: upTo)) == terms)
    }

    @Test("the index is named, whatever its name is")
    func names() {
        let walk = RangeWalk(["a", "b"], by: "od\"d")
        #expect(walk.hint == "FORCE INDEX (\"od\"\"d\")")
        #expect(walk.order == "a, b")
    }

    @Test(
        "the end of a range is looked for behind the last one, and a walk that begins again is at the start")
    func steps() {
        var walk = RangeWalk(["a"], by: "PRIMARY")
        var asked: [([String], Int)] = []
        func step(_ size: Int, _ end: [String]?) {
            let range = walk.next(size) { terms, offset in
                asked.append((terms, offset))
                return end
            }
            walk.pass(range)
        }
        step(10, ["5"])
        step(0, ["6"])
        #expect(!walk.isOver)
        step(3, nil)
        #expect(walk.isOver)
        walk.restart()
        #expect(!walk.isOver)
        step(1, nil)
        #expect(asked.map(\.0) == [[], ["a > 5"], ["a > 6"], []])
        #expect(asked.map(\.1) == [9, 0, 2, 0])
    }

    @Test(
        "the ranges of a walk cover each row once, in order",
        .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"),
        arguments: [1, 2, 3, 7, 100, 1_000])
    func cover(size: Int) throws {
        let app = try AppDatabase(
            """
            CREATE TABLE t (a tinyint, b varchar(5) COLLATE utf8mb4_bin, c bigint unsigned, PRIMARY KEY (a, b, c));
            INSERT IGNORE INTO t SELECT CAST(MOD(seq * 7, 5) AS SIGNED) - 2, ELT(MOD(seq, 4) + 1, '', 'a', 'A', ''''), MOD(seq * 13, 11)
            * 1844674407370955161 FROM seq_1_to_400
            """)
        let connection = try app.connection()
        defer { connection.close() }
        var walk = RangeWalk(["a", "b", "c"], by: "PRIMARY")
        func rows(_ terms: [String], _ limit: String) throws -> [[String]] {
            let place = terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
            return try connection.query(
                "SELECT a, b, c FROM t \(walk.hint)\(place) ORDER BY \(walk.order) \(limit)"
            ).rows.map { $0.map { ($0 ?? "").quotedLiteral } }
        }
        let all = try rows([], "")
        #expect(all.count > 100)
        var (visited, ranges): ([[String]], Int) = ([], 0)
        while !walk.isOver {
            let range = try walk.next(size) { try rows($0, "LIMIT 1 OFFSET \($1)").first }
            let found = try rows(walk.terms(range), "")
            #expect(range.upTo == nil ? found.count < size : found.count == size)
            visited += found
            walk.pass(range)
            ranges += 1
        }
        #expect(visited == all)
        #expect(ranges == all.count / size + 1)
    }
}
