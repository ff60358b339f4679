import Conditions
import Foundation
import TestSupport
import Testing

@testable import MariaDBPruning

@Suite(
    "Conditions on MariaDB", .enabled(if: ConditionServer.isInstalled, "needs Debian's mariadb-server-core"))
struct MariaDBConditionsTests {
    private static let texts = [
        "", "a", "A", "ab", "aB", "b ", "b", "é", "ä", "Ä", "😀", "?", "5", "05", "%", "_x", "it's", "a*b",
        "[a]",
        " a ", "~", "\\",
    ]

    // MARK: - What columns hold

    /// Dates that are none, which a column may have all the same.
    private static let (noDate, noMonth, noDay): (Int64, Int64, Int64) = (.min, .min + 1, .min + 2)

    private static func value(_ column: OracleColumn, _ random: inout SeededGenerator) -> OracleValue {
        let chance = Int.random(in: 0..<100, using: &random)
        // IS NULL finds a zero date in a column that has no NULL.
        if chance < 12 { return column.name == "g" ? .time(noDate) : .null }
        let number = Int64.random(in: -2...6, using: &random)
        switch column.kind {
        case .integer: return chance > 90 ? [.integer(.max), .integer(.min)][chance % 2] : .integer(number)
        case .real: return .real([0.5, 1.5, -2.25, 100, 1][chance % 5])
        case .text:
            if column.name == "e" { return .text(["a", "A", "ab", "5", "", "😀"][chance % 6]) }
            let text = texts[Int.random(in: 0..<texts.count, using: &random)]
            if column.name == "p" { return .text(ignoringBlanks(text)) }
            // Latin-1 has no other characters.
            return .text(["l", "v"].contains(column.name) && text == "😀" ? "?" : text)
        case .boolean: return chance > 90 ? .integer(2) : .boolean(chance % 2 == 0)
        case .json:
            let members: [String: OracleValue] = [
                "k": .text(texts[chance % 6]), "n": chance > 70 ? .null : .integer(number),
                "b": chance > 60 ? .integer(1) : .boolean(chance % 2 == 0),
            ]
            return .json(chance > 85 ? nil : members)
        case .time:
            if column.name == "h", chance > 88 { return .time([noDate, 86_400][chance % 2]) }
            let odd = [noDate, noMonth, noDay, -62_135_596_800, 253_402_214_400]
            if column.name != "h", chance > 82 { return .time(odd[chance % 5]) }
            return .time(1_767_225_600 + number * (column.name == "f" ? 86_400 : 43_200))
        case .loose: return .null
        }
    }

    private static func literal(_ value: OracleValue) -> String {
        switch value {
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "'\(text.doublingQuotes)'"
        case .boolean(let truth): "\(truth)"
        case .time(noDate): "'0000-00-00'"
        case .time(noMonth): "'2020-00-10'"
        case .time(noDay): "'2021-02-31'"
        case .time(let seconds): "TIMESTAMP'1970-01-01 00:00:00' + INTERVAL \(seconds) SECOND"
        case .json(nil): "'{no'"
        case .json(let members?): "'\(members.object)'"
        default: "NULL"
        }
    }

    // MARK: - How columns compare texts

    private static let ignoringBlanks: @Sendable (String) -> String = { text in
        String(text.reversed().drop { $0 == " " }.reversed())
    }

    /// As `utf8mb4_general_ci` does.
    private static let general: @Sendable (String) -> String = { text in
        folded(text, ["é": "E", "ä": "A", "Ä": "A"], beyond: 0xFFFF, as: "\u{FFFD}")
    }

    /// As `latin1_swedish_ci` does, for which ä comes after z.
    private static let swedish: @Sendable (String) -> String = { text in
        folded(text, ["é": "E", "ä": "\\", "Ä": "\\"], beyond: 0xFF, as: "?")
    }

    private static func folded(
        _ text: String, _ letters: [Unicode.Scalar: Unicode.Scalar], beyond last: UInt32,
        as unknown: Unicode.Scalar
    ) -> String {
        let scalars = ignoringBlanks(text).unicodeScalars.map { scalar in
            scalar.value > last
                ? unknown
                : letters[scalar]
                    ?? (scalar.isASCII ? scalar.properties.uppercaseMapping.unicodeScalars.first : nil)
                    ?? scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }

    // MARK: - Tests

    @Test(
        "a condition is true and false of the rows of which the language says so, in SELECT and in UPDATE",
        arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let column = { (name: String, kind: OracleColumn.Kind) in OracleColumn(name: name, kind: kind) }
        let text = { (name: String, own: (@Sendable (String) -> String)?) in
            OracleColumn(name: name, kind: .text, own: own)
        }
        let columns = [
            column("id", .integer), column("i", .integer), column("r", .real), text("s", nil),
            text("n", Self.general), text("l", Self.swedish), text("e", Self.ignoringBlanks),
            text("p", Self.ignoringBlanks), column("b", .boolean), column("js", .json), column("d", .time),
            column("f", .time), column("g", .time), column("h", .time),
        ]
        let others = [
            column("id", .integer), column("x", .integer), text("z", nil), text("y", Self.general),
            text("v", Self.swedish), column("c", .boolean), column("w", .time), column("f", .time),
        ]
        let row = OracleTable("t", columns, rows: 30) { Self.value($0, &random) }
        let other = OracleTable("u", others, rows: seed == 4 ? 0 : 8) { Self.value($0, &random) }
        let inserts = [row, other].flatMap { table in
            table.rows.map { values in
                let list = table.columns.map { Self.literal(values[$0.name] ?? .null) }
                return "INSERT INTO \(table.name) VALUES (\(list.joined(separator: ", ")));"
            }
        }
        let server = try ConditionServer()
        try server.run(
            """
            \(ConditionServer.session);
            SET sql_mode = CONCAT(@@sql_mode, ',ALLOW_INVALID_DATES');
            CREATE TABLE t (id int PRIMARY KEY, i bigint, r double, s text COLLATE utf8mb4_nopad_bin, \
            n varchar(9) COLLATE utf8mb4_general_ci, l varchar(9) CHARACTER SET latin1, \
            e enum('ab', 'A', 'a', '5', '', '😀') COLLATE utf8mb4_bin, p char(9) COLLATE utf8mb4_bin, \
            b boolean, js longtext, d datetime(6), f date, g datetime NOT NULL, h timestamp NULL);
            CREATE TABLE u (id int PRIMARY KEY, x bigint, z text COLLATE utf8mb4_nopad_bin, \
            y varchar(9) COLLATE utf8mb4_general_ci, v varchar(9) CHARACTER SET latin1, c boolean, w datetime, f date);
            CREATE INDEX i ON t (i); CREATE INDEX n ON t (n); CREATE INDEX l ON t (l); CREATE INDEX e ON t (e);
            CREATE INDEX d ON t (d); CREATE INDEX f ON t (f); CREATE INDEX g ON t (g); CREATE INDEX h ON t (h);
            CREATE INDEX x ON u (x); CREATE INDEX z ON u (z(9)); CREATE INDEX y ON u (y); CREATE INDEX v ON u (v);
            CREATE INDEX c ON u (c); CREATE INDEX w ON u (w); CREATE INDEX f ON u (f);
            \(inserts.joined(separator: "\n"))
            """)
        try server.run("ALTER TABLE t ADD mark int")
        let tables = try server.tables(json: ["js"])
        let typed = try tables.table(.init(name: SQLName("t"), alias: nil))
        let times = ConditionOracle.times.keys.sorted()
        try ConditionSample(row: row, other: other, texts: Self.texts, times: times, seed: seed)
            .play(
                bind: { try ConditionBinding.bind($0, on: typed, as: "t", in: tables) },
                keys: { condition, truth in
                    let (found, changed) = try server.keys(condition, truth)
                    #expect(found == changed, "\(condition)")
                    return found
                })
    }

    /// Conditions on the rows 1 to 4, each with those for which it is true and those for which it is false.
    private static let special: [(String, Set<Int64>, Set<Int64>)] = [
        // Numbers above the signed ones; results beyond these are NULL.
        ("q > 9223372036854775807", [1, 2], [3]), ("q = -1", [], [1, 2, 3]), ("q > -1", [1, 2, 3], []),
        ("q + 0 > 0", [3], []), ("abs(q) = 5", [3], []), ("coalesce(q, -1) < 0", [4], [1, 2, 3]),
        ("q IN (5, -1)", [3], [1, 2]), ("q IN (SELECT n FROM u)", [3], [1, 2]), ("q > c", [1, 2], [3]),
        ("EXISTS (SELECT 1 FROM u WHERE u.n < t.q)", [1, 2, 3], [4]), ("c - 8 < 0", [2, 3], [1]),
        ("id * -9223372036854775808 < 0", [1], []), ("id = 1.5", [], [1, 2, 3, 4]),
        ("id < 1.5", [1], [2, 3, 4]), ("id < 1e70", [1, 2, 3, 4], []), ("id < 1e-3", [], [1, 2, 3, 4]),
        // Exact numbers and others.
        ("de = 0.1", [1], [2, 3]), ("de = -1e2", [3], [1, 2]), ("de > 1.2e34", [2], [1, 3]),
        ("de = 12345678901234567890123456789012345.4", [], [1, 2, 3]), ("f = 0.1", [], [1, 2, 3]),
        ("f = 0.5", [2], [1, 3]), ("coalesce(f, 7) = 7", [4], [1, 2, 3]),
        // Texts of other sets and collations, and what they lack.
        ("k = 'é'", [1], [2, 3]), ("k = 'É'", [], [2, 3]), ("k <> '😀'", [1, 3], []), ("k = a", [1, 3], [2]),
        ("a = g", [1, 3], []), ("w = '😀'", [1], [2, 3]), ("length(w) = 1", [1, 2, 3], []),
        ("coalesce(k, g, 'z') = 'z'", [4], [1, 2, 3]), ("nullif(k, a) IS NULL", [1, 3, 4], [2]),
        ("upper(k) = 'É'", [], [2, 3]), ("g LIKE 'E'", [], [1, 3]), ("w LIKE '_'", [1, 2, 3], []),
        ("k IN (SELECT l FROM u)", [1, 2], []), ("NOT EXISTS (SELECT 1 FROM u WHERE u.l = t.g)", [4], [1]),
        // SET and ENUM; an invalid one is the empty text.
        ("st = 'a,b'", [1], [2, 3]), ("st LIKE '%b%'", [1], [2, 3]), ("st = ''", [2], [1, 3]),
        ("e = ''", [2], [1, 3]), ("e <> 'a'", [2, 3], [1]), ("e = 'A'", [], [2, 3]),
        ("e > 'a'", [3], [1, 2]), ("e IN ('b', 'q')", [3], [1, 2]),
        // UUIDs come in the order in which they are written.
        ("uu = 'A0EEBC99-9C0B-1EF8-BB6D-6BB9BD380A11'", [1], [2]),
        ("uu > '10000000-0000-0000-0000-000000000000'", [1], [2]),
        // Times.
        ("EXISTS (SELECT 1 FROM u WHERE u.d IS NULL AND t.id > 0)", [], [1, 2, 3, 4]),
        ("nn IS NULL", [], [1, 2, 3, 4]), ("nn > '2000-01-01'", [3, 4], []),
        ("nn + INTERVAL '7d' > '9999-12-31'", [4], [3]), ("nn - INTERVAL '40000d' < '1990-01-01'", [3], [4]),
        ("nn = '9999-12-31 05:00+05:00'", [4], [3]), ("nn < '9999-12-31 23:00-05'", [3, 4], []),
        ("nn > '0001-01-01 00:00+05'", [3, 4], []), ("nn = '2026-01-01T02:00:00.000+02:00'", [3], [4]),
        ("coalesce(da, '2026-01-02') = '2026-01-02'", [2, 4], [1]), ("da < '2026-01-01 00:00:01'", [1], [2]),
        ("da = '2026-01-01 00:00:01'", [], [1, 2]), ("da + INTERVAL '1d' = '2026-01-03'", [2], [1]),
        ("d6 = '2026-01-01 12:00:00.5'", [2], [1]), ("d6 <> '2026-01-01 14:00:00.500+02:00'", [1], [2]),
        // JSON in a text.
        ("tj->>'' = 'e'", [1], []), ("tj->>'a b' = 'x'", [1], []), ("tj->>'é' = 5", [1], []),
        ("tj->>'n' = 900", [], []), ("tj->>'h' = 999999999999999999", [1], []), ("tj->>'hh' > 1", [], []),
        ("tj->>'t' = 'A'", [1], []), ("tj->>'t' = 'a'", [], []), ("tj->>'hh' IS NULL", [2, 3, 4], [1]),
        // Truth values that are numbers, and what is only asked whether it is there.
        ("ub", [1], [3]), ("ub = 2", [2], [1, 3]), ("NOT ub", [3], [1]),
        ("coalesce(ub, FALSE)", [1], [3, 4]),
        ("bi IS NULL", [3, 4], [1, 2]), ("ge IS NOT NULL", [1], [2, 3, 4]), ("id IS NULL", [], [1, 2, 3, 4]),
        ("\"we\"\"ird\" = 2", [2], [1, 3]),
    ]

    @Test("values that only MariaDB has are compared as the language says, too")
    func specialValues() throws {
        let server = try ConditionServer()
        try server.run(
            #"""
            SET sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,ALLOW_INVALID_DATES';
            CREATE TABLE t (
                id int PRIMARY KEY AUTO_INCREMENT, q bigint unsigned, c int unsigned, de decimal(65,30), f float,
                k varchar(9) CHARACTER SET utf8mb3, a varchar(9) COLLATE utf8mb4_unicode_nopad_ci,
                g varchar(9) COLLATE utf8mb4_general_ci, w varchar(9) CHARACTER SET utf16,
                st set('a', 'b', 'c'), e enum('a', 'b'), uu uuid, nn datetime NOT NULL, da date,
                d6 datetime(6), tj text CHARACTER SET latin1, ub tinyint(1) unsigned, bi blob, ge geometry,
                "we""ird" int);
            CREATE INDEX q ON t (q); CREATE INDEX de ON t (de); CREATE INDEX f ON t (f); CREATE INDEX k ON t (k);
            CREATE INDEX st ON t (st); CREATE INDEX e ON t (e); CREATE INDEX uu ON t (uu);
            CREATE INDEX nn ON t (nn); CREATE INDEX da ON t (da);
            INSERT INTO t VALUES
                (1, 9223372036854775809, 4294967295, 0.1, 0.1, 'é', 'é', 'é', '😀', 'a,b', 'a',
                'a0eebc99-9c0b-1ef8-bb6d-6bb9bd380a11', '0000-00-00', '2026-01-01', '9999-12-31 23:59:59.999999',
                '{"":"e","a b":"x","é":5,"n":9e2,"h":999999999999999999,"hh":1234567890123456789,"t":"\u0041"}',
                1, 'a', point(1, 1), 1),
                (2, 18446744073709551615, 0, 12345678901234567890123456789012345.5, 0.5, '?', 'E', 'e', 'a', '',
                'zzz', '00eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '2020-00-10', '2026-01-02',
                '2026-01-01 12:00:00.5', 'no JSON', 2, 'b', NULL, 2),
                (3, 5, 7, -100, -2.5, 'x', 'x', 'x', 'A', 'c', 'b', NULL, '2026-01-01', '2021-02-31',
                '0000-00-00', '[1]', 0, NULL, NULL, 3);
            INSERT INTO t (id, nn) VALUES (4, '9999-12-31');
            CREATE TABLE u (
                id int PRIMARY KEY, n bigint, l varchar(9) CHARACTER SET latin1, d date NOT NULL, KEY (n), KEY (l));
            INSERT INTO u VALUES
                (1, -1, 'é', '0000-00-00'), (2, 5, '?', '2026-01-01'), (3, -9223372036854775807, 'X', '2026-01-01');
            """#)
        try server.run("ALTER TABLE t ADD mark int")
        let tables = try server.tables(json: [])
        let typed = try tables.table(.init(name: SQLName("t"), alias: nil))
        for (text, isTrue, isFalse) in Self.special {
            let condition = try ConditionBinding.bind(
                WrittenCondition(parsing: text), on: typed, as: "t", in: tables)
            for (truth, expected) in [(true, isTrue), (false, isFalse)] {
                let (found, changed) = try server.keys(condition, truth)
                #expect(found == expected, "\(text) is \(truth)")
                #expect(found == changed, "\(text) is \(truth)")
            }
        }
    }
}

/// A server of a test's own with one database, gone with this object.
private final class ConditionServer: Sendable {
    private let directory: TemporaryDirectory
    private let server: RunningProgram

    static let isInstalled = ["/usr/sbin/mariadbd", "/usr/bin/mariadb", "/usr/bin/mariadb-install-db"]
        .allSatisfy { (path: String) in access(path, X_OK) == 0 }
    static let session = """
        SET time_zone = '+00:00', optimizer_switch = 'subquery_cache=off', \
        sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO'
        """

    init() throws {
        directory = try TemporaryDirectory()
        let data = "--datadir=\(directory.path)/data"
        let user = geteuid() == 0 ? ["--user=root"] : []
        try Program(
            ["mariadb-install-db", "--no-defaults", data, "--auth-root-authentication-method=normal"] + user
        ).run().checked()
        server = try Program(
            [
                "mariadbd", "--no-defaults", data, "--socket=\(directory.path)/socket", "--skip-networking",
                "--innodb-flush-method=nosync", "--innodb-buffer-pool-size=64M",
                "--character-set-server=utf8mb4",
            ] + user
        ).start()
        try wait(for: "the server", seconds: 60) { (try? run("SELECT 1", in: "mysql")) != nil }
        try run("CREATE DATABASE app", in: "mysql")
    }

    @discardableResult
    func run(_ sql: String, in database: String = "app") throws -> [[String?]] {
        let client = Program([
            "mariadb", "--no-defaults", "--socket=\(directory.path)/socket", "--user=root", "--batch",
            "--raw",
            "--skip-column-names", "--default-character-set=utf8mb4", database,
        ])
        return try client.run(sql).checked().output.split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { $0 == "NULL" ? nil : String($0) }
        }
    }
}

extension ConditionServer {
    /// The keys of the rows of `t` that SELECT finds, and of those that UPDATE changes: it fails where a value
    /// has to be altered to be compared.
    fileprivate func keys(_ condition: BoundCondition, _ truth: Bool) throws -> (Set<Int64>, Set<Int64>) {
        let sql = ConditionSQL(MariaDBConditions()).text(of: condition, is: truth)
        let rows = try run(
            """
            \(Self.session); SELECT 'found', id FROM t AS t WHERE \(sql);
            BEGIN; UPDATE t SET mark = 1 WHERE \(sql); SELECT 'changed', id FROM t WHERE mark = 1; ROLLBACK;
            """)
        let keys = { (what: String) in
            Set(rows.filter { $0[0] == what }.compactMap { $0[1].flatMap { Int64($0) } })
        }
        return (keys("found"), keys("changed"))
    }

    /// The tables of the database; `json` are the columns that have a CHECK which makes them JSON.
    fileprivate func tables(json: Set<String>) throws -> Tables {
        let rows = try run(
            """
            SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, COLLATION_NAME FROM information_schema.COLUMNS \
            WHERE TABLE_SCHEMA = 'app' ORDER BY ORDINAL_POSITION
            """)
        let names = Set(rows.compactMap { $0[0] }).sorted()
        return Tables(
            all: names.map { name in
                let columns = rows.filter { $0[0] == name }.map { row in
                    let column = row[1] ?? ""
                    return TypedColumn(
                        column, dataType: row[2] ?? "", columnType: row[3] ?? "", collation: row[4],
                        isJSON: json.contains(column))
                }
                return TypedTable(name, sql: name, columns: columns)
            })
    }
}

private struct Tables: ConditionTables {
    let all: [TypedTable]

    func table(_ name: WrittenNames.Table) throws -> TypedTable {
        guard let table = all.first(where: { $0.name == name.name.text }) else {
            throw ConditionError("reads \(name.name.text)", at: name.name.offset)
        }
        return table
    }
    func compared(_ name: SQLName) -> String { name.text.lowercased() }
    func compared(catalog name: String) -> String { name.lowercased() }
}
