import Conditions
import Pruning
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Conditions on PostgreSQL",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct PostgreSQLConditionsTests {
    private static let texts = [
        "", "a", "A", "ab", "aB", "b ", "é", "5", "05", "%", "_x", "it's", "a*b", "[a]", " a ", "~", "\\",
    ]
    private static let times = ConditionOracle.times.keys.sorted()

    private static func value(_ column: OracleColumn, _ random: inout SeededGenerator) -> OracleValue {
        let chance = Int.random(in: 0..<100, using: &random)
        if chance < 12 { return .null }
        let number = Int64.random(in: -2...6, using: &random)
        switch column.kind {
        case .integer: return chance > 90 ? [.integer(.max), .integer(.min)][chance % 2] : .integer(number)
        case .real: return .real([0.5, 1.5, -2.25, 100, .nan][chance % 5])
        case .text:
            if column.name == "e" { return .text(["a", "A", "ab", "5"][chance % 4]) }
            let text = texts[Int.random(in: 0..<texts.count, using: &random)]
            // A text that is padded has no blanks at its end.
            return .text(column.name == "p" ? ignoringBlanks(text) : text)
        case .boolean: return .boolean(chance % 2 == 0)
        case .json:
            return .json([
                "k": .text(texts[chance % 6]), "n": chance > 70 ? .null : .integer(number),
                "b": chance > 60 ? .integer(1) : .boolean(chance % 2 == 0),
            ])
        case .time:
            return chance > 90
                ? .time([-62_135_596_800, 300_000_000_000][chance % 2])
                : .time(1_767_225_600 + number * 43_200)
        case .loose: return .null
        }
    }

    private static let ignoringBlanks: @Sendable (String) -> String = { text in
        String(text.reversed().drop { $0 == " " }.reversed())
    }

    private static func literal(_ value: OracleValue) -> String {
        switch value {
        case .integer(.min): "-9223372036854775808"
        case .integer(let number): "\(number)"
        case .real(let number): number.isNaN ? "'NaN'" : "\(number)"
        case .text(let text): "'\(text.doublingQuotes)'"
        case .boolean(let truth): "\(truth)"
        case .time(let seconds): "to_timestamp(\(seconds))"
        case .json(let members?): "'\(members.object)'"
        default: "NULL"
        }
    }

    @Test(
        "a condition is true and false of the rows of which the language says so, for each type that it compares",
        arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ignoringCase: @Sendable (String) -> String = { $0.foldingASCII }
        let column = { (name: String, kind: OracleColumn.Kind) in OracleColumn(name: name, kind: kind) }
        let columns = [
            column("id", .integer), column("i", .integer), column("r", .real), column("s", .text),
            OracleColumn(name: "n", kind: .text, own: ignoringCase), column("e", .text),
            OracleColumn(name: "p", kind: .text, own: Self.ignoringBlanks), column("b", .boolean),
            column("js", .json), column("d", .time), column("f", .time),
        ]
        let others = [
            column("id", .integer), column("x", .integer), column("z", .text),
            OracleColumn(name: "y", kind: .text, own: ignoringCase), column("c", .boolean),
            column("w", .time),
        ]
        let row = OracleTable("t", columns, rows: 30) { Self.value($0, &random) }
        let other = OracleTable("u", others, rows: seed == 4 ? 0 : 8) { Self.value($0, &random) }
        let inserts = [row, other].flatMap { table in
            table.rows.map { values in
                let list = table.columns.map { Self.literal(values[$0.name] ?? .null) }
                return "INSERT INTO \(table.name) VALUES (\(list.joined(separator: ", ")))"
            }
        }
        let database = try OwnedDatabase(
            """
            SET timezone = 'UTC';
            CREATE TYPE letters AS ENUM ('ab', 'A', 'a', '5');
            CREATE TABLE t (id int PRIMARY KEY, i bigint, r float8, s varchar, n citext, e letters, p char(5), b boolean, js jsonb, \
            d timestamptz, f timestamp);
            CREATE TABLE u (id int PRIMARY KEY, x bigint, z text, y citext, c boolean, w timestamptz);
            CREATE INDEX ON u (x); CREATE INDEX ON u (y);
            \(inserts.joined(separator: ";\n"))
            """, setup: "CREATE EXTENSION citext;")
        try database.transaction { connection in
            let tables = PostgreSQLConditionTables(connection: connection, schema: "public")
            let typed = try tables.table(.init(name: SQLName("t"), alias: nil))
            try ConditionSample(row: row, other: other, texts: Self.texts, times: Self.times, seed: seed)
                .play(
                    bind: { try ConditionBinding.bind($0, on: typed, as: "t", in: tables) },
                    keys: { condition, truth in
                        let sql = ConditionSQL(PostgreSQLConditions()).text(of: condition, is: truth)
                        let rows = try connection.query("SELECT id FROM public.t AS t WHERE \(sql)").rows
                        return Set(rows.compactMap { $0[0].flatMap { Int64($0) } })
                    })
        }
    }
}

extension OwnedDatabase {
    /// Runs `body` in a transaction of the role that prunes.
    fileprivate func transaction<Result>(_ body: (Connection) throws -> Result) throws -> Result {
        let connection = try Connection(
            Address(text: database.url(user: role), place: "the database"),
            RunControl(monotonic: systemMonotonic))
        defer { connection.close() }
        return try connection.transaction(.reading) { try body(connection) }
    }
}
