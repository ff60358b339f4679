import Conditions
import SQLite
import TestSupport
import Testing

@testable import SQLitePruning

@Suite("Conditions on SQLite")
struct SQLiteConditionsTests {
    private static let texts = [
        "", "a", "A", "ab", "aB", "b ", "é", "5", "05", "%", "_x", "it's", "a*b", "[a]", " a ", "~",
    ]

    private static func column(_ name: String, _ kind: OracleColumn.Kind) -> OracleColumn {
        OracleColumn(name: name, kind: kind)
    }

    /// What each kind of column holds, and of another kind.
    private static func value(
        _ kind: OracleColumn.Kind, misfits: Bool, _ random: inout SeededGenerator
    ) -> OracleValue {
        let chance = Int.random(in: 0..<100, using: &random)
        if chance < 12 { return .null }
        if misfits, chance < 24 {
            switch kind {
            case .integer, .real, .boolean: return [.text("abc"), .blob, .text("")][chance % 3]
            case .text: return .blob
            default: return .null
            }
        }
        let number = Int64.random(in: -2...6, using: &random)
        switch kind {
        case .integer:
            return misfits && chance > 94
                ? .real(1.5) : chance > 90 ? [.integer(.max), .integer(.min)][chance % 2] : .integer(number)
        case .real: return .real([0.5, 1.5, -2.25, 100, 1][chance % 5])
        case .text: return .text(texts[Int.random(in: 0..<texts.count, using: &random)])
        case .boolean: return misfits && chance > 94 ? .integer(2) : .boolean(chance % 2 == 0)
        case .json:
            return .json(
                chance > 85
                    ? nil
                    : [
                        "k": .text(texts[chance % 6]), "n": chance > 70 ? .null : .integer(number),
                        "b": chance > 60 ? .integer(1) : .boolean(chance % 2 == 0),
                    ])
        case .loose:
            let found: [OracleValue] = [.integer(number), .text("a"), .text("b "), .real(1.5), .blob]
            return found[chance % (misfits ? 5 : 4)]
        case .time: return .null
        }
    }

    private static func literal(_ value: OracleValue) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .text(let text): "'\(text.doublingQuotes)'"
        case .blob: "x'61'"
        case .boolean(let truth): truth ? "1" : "0"
        case .time: "NULL"
        case .json(nil): "'{no'"
        case .json(let members?): "'\(members.object)'"
        }
    }

    @Test(
        "a condition is true and false of the rows of which the language says so, also where values are of other kinds",
        arguments: [1, 2, 3, 4] as [UInt64])
    func random(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let ignoringCase: @Sendable (String) -> String = { $0.foldingASCII }
        let ignoringBlanks: @Sendable (String) -> String = { text in
            String(text.reversed().drop { $0 == " " }.reversed())
        }
        let columns = [
            Self.column("id", .integer), Self.column("i", .integer), Self.column("r", .real),
            Self.column("s", .text),
            OracleColumn(name: "n", kind: .text, own: ignoringCase),
            OracleColumn(name: "p", kind: .text, own: ignoringBlanks), Self.column("b", .boolean),
            Self.column("js", .json), Self.column("l", .loose),
        ]
        let others = [
            Self.column("id", .integer), Self.column("x", .integer), Self.column("z", .text),
            OracleColumn(name: "y", kind: .text, own: ignoringCase), Self.column("c", .boolean),
            Self.column("m", .loose),
        ]
        let row = OracleTable("t", columns, rows: 30) { Self.value($0.kind, misfits: true, &random) }
        let other = OracleTable("u", others, rows: seed == 4 ? 0 : 8) {
            Self.value($0.kind, misfits: false, &random)
        }
        let db = try Database(uri: "file::memory:", isReadOnly: false, busyTimeout: 0)
        defer { db.close() }
        try db.execute(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, i INTEGER, r REAL, s TEXT, n TEXT COLLATE NOCASE, p TEXT COLLATE RTRIM, \
            b BOOLEAN, js JSON, l)
            """)
        try db.execute(
            """
            CREATE TABLE u (id INTEGER PRIMARY KEY, x INTEGER, z VARCHAR(9), y TEXT COLLATE NOCASE, c BOOL, m DATETIME)
            """)
        try db.execute("CREATE INDEX ux ON u (x)")
        try db.execute("CREATE INDEX uy ON u (y)")
        try db.execute("CREATE INDEX um ON u (m)")
        for table in [row, other] {
            for values in table.rows {
                let list = table.columns.map { Self.literal(values[$0.name] ?? .null) }
                try db.execute("INSERT INTO \(table.name) VALUES (\(list.joined(separator: ", ")))")
            }
        }
        let tables = SQLiteConditionTables(db: db)
        let typed = try tables.table(.init(name: SQLName("t"), alias: nil))
        try ConditionSample(row: row, other: other, texts: Self.texts, countsOddOfOthers: false, seed: seed)
            .play(
                bind: { try ConditionBinding.bind($0, on: typed, as: "t", in: tables) },
                keys: { condition, truth in
                    let sql = ConditionSQL(SQLiteConditions()).text(of: condition, is: truth)
                    return Set(try db.rows("SELECT id FROM t WHERE \(sql)").map(\.[0].integer))
                })
    }
}
