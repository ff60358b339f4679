import Pruning
import Retention
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "What was deleted from MariaDB comes back as it was",
    .enabled(if: MariaDBPrograms.installed != nil, "\(MariaDBPrograms.comment)"))
struct RoundTripTests {
    struct Keys: CustomTestStringConvertible, Sendable {
        let type: String
        let values: [String]
        var testDescription: String { type }
    }

    /// SQL of a text of all bytes, 16 at a time.
    private static let allBytes = (0..<16).map { high in
        "X'" + (0..<16).map { String(high * 16 + $0, radix: 16).leftPadded }.joined() + "'"
    }

    static let keys = [
        Keys(
            type: "bigint unsigned",
            values: [
                "0", "1", "9223372036854775807", "9223372036854775808", "9223372036854775809",
                "18446744073709551615",
            ]),
        Keys(type: "bigint", values: ["-9223372036854775808", "-1", "0", "9223372036854775807"]),
        Keys(
            type: "varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            values: ["'a'", "'A'", "'ä'", "'Ä'", "''", "'é'", "X'65CC81'", "'10'", "'010'", "'1e1'"]),
        Keys(
            type: "varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
            values: [
                "'a'", "'b'", "'it''s'", "'\"quoted\"'", "'back\\slash'", "X'5C27'", "'%_'", "'🦊'", "'漢字'",
            ]),
        Keys(
            type: "varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
            values: ["'a'", "'a '", "' a'", "'a\t'", "X'610A'", "X'00'", "X'6100'", "''", "'🦊'", "'👩‍👩‍👧'"]),
        Keys(type: "varbinary(20)", values: allBytes + ["''", "X'00'", "X'0000'", "X'FF'", "X'5C27'"]),
        Keys(
            type: "binary(4)",
            values: ["X'00000000'", "X'00000001'", "'a'", "'A'", "X'FFFFFFFF'", "X'5C272225'"]),
        Keys(
            type: "decimal(65,30)",
            values: [
                "0", "-1.5", "0.000000000000000000000000000001",
                "99999999999999999999999999999999999.999999999999999999999999999999",
            ]),
        Keys(type: "bit(64)", values: ["b'0'", "b'1'", "X'8000000000000000'", "X'FFFFFFFFFFFFFFFF'"]),
        Keys(
            type: "uuid",
            values: ["'00000000-0000-0000-0000-000000000000'", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"]),
        Keys(type: "inet6", values: ["'::'", "'::1'", "'fe80::1'", "'::ffff:192.0.2.1'"]),
        Keys(
            type: "datetime(6)",
            values: ["'2026-01-01 00:00:00.000001'", "'2026-01-01 00:00:00.000002'", "'0000-00-00'"]),
        Keys(type: "date", values: ["'2026-01-01'", "'0000-00-00'", "'2020-00-10'"]),
        Keys(type: "time(6)", values: ["'-838:59:59.999999'", "'00:00:00'", "'838:59:59.999999'"]),
        Keys(type: "year", values: ["0", "1901", "2026"]),
        Keys(type: "enum('a','it''s','b\"')", values: ["'a'", "'it''s'", "'b\"'"]),
        Keys(type: "set('x','y')", values: ["''", "'x'", "'x,y'"]),
    ]

    @Test(
        "exactly the expired of any keys go, by either way, and come back",
        arguments: keys, AccessPath.allCases)
    func key(_ keys: Keys, path: AccessPath) throws {
        let app = try AppDatabase(
            """
            CREATE TABLE t (k \(keys.type), side int, at timestamp NULL, PRIMARY KEY (k, side), INDEX (at)); INSERT INTO t VALUES
            \(keys.values.flatMap { ["(\($0), 1, '2026-01-01')", "(\($0), 2, '2026-11-19')"] }.joined(separator: ", "))
            """)
        let content = "SELECT HEX(CAST(k AS BINARY)), side, at FROM t ORDER BY 1, 2"
        let before = try app.run(content)
        #expect(before.count == 2 * keys.values.count)
        let report = try app.prune(.old(archives: true), accessPath: path)
        #expect(report.outcome == .done && Int(report.deleted) == keys.values.count, "\(report)")
        #expect(try app.run(content) == before.filter { $0[1] == "2" })
        let restored = try app.restore()
        #expect(restored.map(\.outcome) == [.done], "\(restored)")
        #expect(try app.run(content) == before)
        // They stay for now.
        #expect(try app.prune(.old(archives: true), accessPath: path).deleted == 0)
    }

    /// Each type with values at its edges.
    private static let types: [(type: String, values: [String])] = [
        (
            "decimal(65,30)",
            ["-99999999999999999999999999999999999.999999999999999999999999999999", "1.5", "NULL"]
        ),
        ("float", ["3.402823466e38", "0.1", "-16777217", "1.4e-45", "NULL"]),
        (
            "double",
            [
                "1.7976931348623157e308", "2.2250738585072014e-308", "5e-324", "0.1", "123456789012345678",
                "-1e15", "0",
            ]
        ),
        ("bit(1)", ["b'0'", "b'1'", "NULL"]), ("bit(64)", ["X'FFFFFFFFFFFFFFFF'", "b'101'"]),
        ("tinyint", ["-128", "127"]), ("mediumint unsigned", ["0", "16777215"]),
        ("time", ["'-838:59:59'", "'25:00:00'"]), ("time(6)", ["'838:59:59.999999'", "'-00:00:00.000001'"]),
        ("year", ["0", "1901", "2155"]), ("date", ["'0000-00-00'", "'2020-00-10'", "'9999-12-31'"]),
        ("datetime(6)", ["'0000-00-00'", "'2026-03-29 02:30:00.123456'", "'9999-12-31 23:59:59.999999'"]),
        (
            "timestamp(6) NULL",
            ["'0000-00-00'", "'2026-03-29 01:30:00.000001'", "'2038-01-19 03:14:07.999999'"]
        ),
        ("blob", allBytes + ["''", "NULL", "REPEAT(X'00', 60000)"]),
        ("longblob", ["REPEAT(X'FF00', 500000)"]),
        ("varbinary(300)", ["CONCAT(\(allBytes.joined(separator: ", ")))"]),
        ("binary(8)", ["'a'", "X'0001'"]),
        ("json", [#"'{"a" : 1,  "a":"\\u00e9"}'"#, #"'{"b\"":[1,null,"🦊"]}'"#, "'null'", "NULL"]),
        ("uuid", ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"]),
        ("inet6", ["'::'", "'2001:db8::ff00:42:8329'"]),
        ("inet4", ["'0.0.0.0'", "'255.255.255.255'"]),
        (
            "varchar(300) CHARACTER SET latin1",
            ["CONCAT(\(allBytes.joined(separator: ", ")))", "'€ ä'", "''"]
        ),
        (
            "text CHARACTER SET utf8mb4",
            ["'🦊 👩‍👩‍👧 e\u{301}'", "'it''s \\ \"q\"'", "X'5C205C27'", "X'00010A0D1A'", "' '"]
        ),
        ("text CHARACTER SET utf16", ["'🦊ä'"]), ("text CHARACTER SET ucs2", ["'ä'"]),
        ("char(5)", ["'a'", "''"]), ("longtext", ["REPEAT('ä', 500000)"]),
        ("enum('a','it''s')", ["'it''s'", "NULL"]), ("set('x','y','z')", ["''", "'x,z'"]),
        ("int GENERATED ALWAYS AS (k * 2) STORED", ["DEFAULT"]),
        ("int INVISIBLE", ["7"]), ("int DEFAULT 5", ["NULL"]),
    ]

    @Test("values of every type are the same", arguments: types)
    func type(_ type: String, values: [String]) throws {
        let app = try AppDatabase(
            "CREATE TABLE t (k int PRIMARY KEY, at timestamp NULL, v \(type));\n"
                + values.enumerated().map {
                    "INSERT INTO t (k, at, v) VALUES (\($0.offset + 1), '2026-01-01', \($0.element));"
                }.joined(separator: "\n"))
        // A FLOAT is written with six digits only.
        let value = type == "float" ? "CAST(v AS DOUBLE)" : "v"
        let content = "SELECT k, at, HEX(CAST(\(value) AS BINARY)), HEX(\(value)) FROM t ORDER BY k"
        let before = try app.run(content)
        #expect(before.count == values.count)
        let report = try app.prune(.old(archives: true))
        #expect(report.outcome == .done && Int(report.deleted) == values.count, "\(report)")
        #expect(try app.rows() == 0)
        let restored = try app.restore()
        #expect(restored.map(\.outcome) == [.done], "\(restored)")
        #expect(try app.run(content) == before)
    }

    @Test("names of tables and columns are whatever they are")
    func names() throws {
        let app = try AppDatabase(
            """
            CREATE TABLE `o"d\\d.'t` (`i``d` int PRIMARY KEY, `a"t` timestamp NULL, `select` text);
            INSERT INTO `o"d\\d.'t` VALUES (1, '2026-01-01', 'a'), (2, '2026-11-19', 'b')
            """)
        let content = "SELECT * FROM `o\"d\\d.'t` ORDER BY 1"
        let before = try app.run(content)
        var rule = RetentionRule.old("o\"d\\d.'t", archives: true)
        rule.expiry = .age(column: "a\"t", keep: Span(30, .day))
        #expect(try app.prune(rule).deleted == 1)
        #expect(try app.run(content) == [before[1]])
        #expect(try app.restore().map(\.outcome) == [.done])
        #expect(try app.run(content) == before)
    }

    @Test("a mark is taken back, and the values that it replaced are there again")
    func marks() throws {
        let app = try AppDatabase(
            AppDatabase.table(9, expired: 5, also: ", state varchar(5) DEFAULT 'it''s', n int"))
        let before = try app.run("SELECT * FROM t ORDER BY id")
        var rule = RetentionRule.old(archives: true)
        rule.action = .mark([MarkedColumn("n", .integer(1)), MarkedColumn("state", .text("go\\n'e"))])
        #expect(try app.prune(rule).outcome == .failed, "the text is too long")
        rule.action = .mark([MarkedColumn("n", .integer(1)), MarkedColumn("state", .text("\\n'"))])
        #expect(try app.prune(rule).deleted == 5)
        #expect(try app.count("SELECT count(*) FROM t WHERE n = 1 AND HEX(state) = '5C6E27'") == 5)
        #expect(try app.restore().map(\.outcome) == [.done])
        #expect(try app.run("SELECT * FROM t ORDER BY id") == before)
    }
}

extension String {
    fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}
