import Retention

/// Three random tables, `t` above `u` above `v`, and two or three random rules on them. Rows of `u` and `v` refer to the
/// table above, with a foreign key that cascades or without one.
package struct RandomRuleSet {
    package let seed: UInt64
    /// In running order; nil if no policy can have them.
    package let rules: [RetentionRule]?
    package let schema: String
    package let rows: RuleSetOracle
    private static let tables = ["t", "u", "v"]

    package init(seed: UInt64) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        let cascades = Set(["u", "v"].filter { _ in Int.random(in: 0..<3, using: &generator) == 0 })
        var rules = (0..<Int.random(in: 2...3, using: &generator)).map { number in
            Self.rule(number, cascades, using: &generator)
        }
        // What others mark is not read.
        let marked = Set(rules.filter(\.rule.action.isMark).map(\.rule.table))
        for index in rules.indices {
            let table = rules[index].rule.table
            let others = [Self.parent(of: table), Self.child(of: table)].compactMap(\.self)
            guard let other = others.randomElement(using: &generator), !marked.contains(other),
                Bool.random(using: &generator)
            else { continue }
            let condition = FlagCondition(of: table, reading: other, using: &generator)
            rules[index].conditions.append(condition)
            rules[index].rule.protect.append(condition.sql)
        }
        self.rules = try? RetentionPolicy(
            timeZone: .gmt, stores: [StoreDefinition(name: "s", path: "s")], rules: rules.map(\.rule)
        ).rules
        var conditions: [String: FlagCondition] = [:]
        for condition in rules.flatMap(\.conditions) { conditions[condition.sql] = condition }
        let indexes = ["(at)", "(g, at)", "(seen)", "(g, seen)"]
        schema = Self.tables.map { table in
            let parent = Self.parent(of: table)
            let foreign = parent.map { cascades.contains(table) ? " REFERENCES \($0) ON DELETE CASCADE" : "" }
            let isWithoutRowID = Int.random(in: 0..<4, using: &generator) == 0
            let made = indexes.filter { _ in Int.random(in: 0..<4, using: &generator) == 0 }
            return """
                CREATE TABLE \(table) (id INTEGER PRIMARY KEY NOT NULL, at INTEGER, seen INTEGER, f INTEGER, m INTEGER,
                    n INTEGER, g INTEGER, up INTEGER\(foreign ?? ""))\(isWithoutRowID ? " WITHOUT ROWID" : "");
                CREATE INDEX \(table)_up ON \(table) (up);
                """
                    + made.enumerated().map { "CREATE INDEX \(table)_\($0) ON \(table) \($1);" }.joined()
        }.joined(separator: "\n")
        var tables: [String: [Int: FlaggedRow]] = [:]
        for table in Self.tables {
            let above = Self.parent(of: table).map { tables[$0].map { Array($0.keys.sorted()) } ?? [] } ?? []
            for id in 1...Int.random(in: 1...40, using: &generator) {
                tables[table, default: [:]][id] = FlaggedRow(under: above, using: &generator)
            }
        }
        rows = RuleSetOracle(tables: tables, cascades: cascades, conditions: conditions)
    }

    static func parent(of table: String) -> String? { ["u": "t", "v": "u"][table] }
    static func child(of table: String) -> String? { ["t": "u", "u": "v"][table] }

    private static func rule(
        _ number: Int, _ cascades: Set<String>, using generator: inout SeededGenerator
    ) -> (rule: RetentionRule, conditions: [FlagCondition]) {
        func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
        func some<Value>(_ values: Value...) -> Value {
            values[Int.random(in: values.indices, using: &generator)]
        }
        let (table, marks) = (some("t", "t", "u", "v"), chance(0.5))
        let name = Name("\(some("p", "q", "x", "z"))\(number)") ?? "old"
        // A rule that deletes must keep its rows longer than one that marks them.
        let keep: Int64 = marks ? some(10, 20, 30) : some(31, 40, 60)
        var rule = RetentionRule(
            name: name, store: "s", table: table,
            expiry: .age(column: some("at", "at", "seen"), keep: Span(keep, .day)), holdLimits: .noneAtAll)
        if chance(0.15), let column = rule.expiry.column {
            rule.expiry = .deadline(column: column, grace: nil)
        }
        if marks {
            rule.action = .mark(
                some(
                    [MarkedColumn("m", .integer(1))], [MarkedColumn("m", .integer(1))],
                    [MarkedColumn("m", .integer(1)), MarkedColumn("n", .integer(2))],
                    [MarkedColumn("n", .integer(2))], [MarkedColumn("m", .text("2"))]))
        }
        var conditions: [FlagCondition] = []
        if chance(0.5) {
            conditions.append(FlagCondition(of: table, using: &generator))
            rule.condition = conditions[0].sql
        }
        if chance(0.3) {
            conditions.append(FlagCondition(of: table, using: &generator))
            rule.protect = [conditions[conditions.count - 1].sql]
        }
        if chance(0.4) {
            rule.keepLast = some(1, 3, 10)
            rule.keepLastPer = some([], ["g"])
        }
        let reached = marks ? [] : Self.reached(from: table, cascades)
        if let child = child(of: table), !reached.contains(child) || reached.count == 1, chance(0.4) {
            // If the foreign key is that column, each row that would take others along stays.
            rule.keptBy = [ColumnReference(table: child, column: "up")]
            if chance(0.2) { rule.expiry = .orphan }
        } else {
            rule.dependents = reached
        }
        if rule.expiry == .orphan { (rule.keepLast, rule.keepLastPer) = (nil, []) }
        return (rule, conditions)
    }

    private static func reached(from table: String, _ cascades: Set<String>) -> Set<String> {
        guard let child = child(of: table), cascades.contains(child) else { return [] }
        return reached(from: child, cascades).union([child])
    }

    /// The statements that make the tables and fill them.
    package var sql: String {
        let lines = rows.tables.sorted { $0.key < $1.key }.flatMap { table, rows in
            rows.sorted { $0.key < $1.key }.map { "INSERT INTO \(table) VALUES (\($0), \($1.values));" }
        }
        return schema + "BEGIN;" + lines.joined(separator: "\n") + "COMMIT;"
    }
}

extension RandomRuleSet {
    /// The same for PostgreSQL, in which `role` is to prune.
    package func postgreSQL(for role: String) -> String {
        "DROP TABLE IF EXISTS t, u, v; \(sql.replacing(" WITHOUT ROWID", with: "")) GRANT ALL ON t, u, v TO \(role)"
    }
}

/// A condition on the flags of a row, or on those of rows above or below it: any of its terms, of which each compares a column
/// with a value, or with NULL.
package struct FlagCondition {
    private let terms: [(column: String, value: Int64?)]
    /// The table whose rows are judged instead, and whether they are above.
    private let other: (table: String, isAbove: Bool)?
    let sql: String

    init(of table: String, reading read: String? = nil, using generator: inout SeededGenerator) {
        other = read.map { ($0, RandomRuleSet.parent(of: table) == $0) }
        terms = (0..<Int.random(in: 1...2, using: &generator)).map { _ in
            let values: [Int64?] = [0, 1, 1, 2, nil]
            return (
                ["f", "m", "m", "n"].randomElement(using: &generator) ?? "f",
                values[Int.random(in: values.indices, using: &generator)]
            )
        }
        let name = other == nil && Bool.random(using: &generator) ? table + "." : ""
        let flags = terms.map { name + $0.column + ($0.value.map { " = \($0)" } ?? " IS NULL") }
            .joined(separator: " OR ")
        sql =
            other.map { other in
                let match = other.isAbove ? "x.id = \(table).up" : "x.up = \(table).id"
                return "EXISTS (SELECT 1 FROM \(other.table) x WHERE \(match) AND (\(flags)))"
            } ?? flags
    }

    /// Nil if it is neither true nor false.
    func value(of row: FlaggedRow, _ id: Int, in tables: [String: [Int: FlaggedRow]]) -> Bool? {
        guard let other else { return value(of: row) }
        return (tables[other.table] ?? [:]).contains { key, related in
            (other.isAbove ? row.up == Int64(key) : related.up == Int64(id)) && value(of: related) == true
        }
    }

    private func value(of row: FlaggedRow) -> Bool? {
        let values = terms.map { term -> Bool? in
            let flag = row.flags[term.column] ?? nil
            guard let value = term.value else { return flag == nil }
            return flag.map { $0 == value }
        }
        if values.contains(true) { return true }
        return values.contains(nil) ? nil : false
    }
}

/// A row of one of the tables.
package struct FlaggedRow {
    /// The times `at` and `seen`; nil for NULL.
    let times: [String: Int64?]
    var flags: [String: Int64?]
    let group: Int64?
    /// The row above.
    let up: Int64?

    init(under above: [Int], using generator: inout SeededGenerator) {
        func time() -> Int64? {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: nil
            case 1: RandomTimes.start + 5 * 86_400
            case 2: RandomTimes.cutoff
            default: RandomTimes.start - Int64.random(in: 0...80, using: &generator) * 86_400 - 7
            }
        }
        func some(_ values: Int64?...) -> Int64? { values[Int.random(in: values.indices, using: &generator)] }
        times = ["at": time(), "seen": time()]
        flags = ["f": some(0, 1, nil), "m": some(0, 0, 1, 2, nil), "n": some(0, 0, 2, nil)]
        group = some(1, 2, nil)
        up = Bool.random(using: &generator) ? above.randomElement(using: &generator).map(Int64.init) : nil
    }

    /// The values after the key, as SQL.
    var values: String {
        let all = [times["at"], times["seen"], flags["f"], flags["m"], flags["n"], group, up]
        return all.map { ($0 ?? nil).map(String.init) ?? "NULL" }.joined(separator: ", ")
    }
}
