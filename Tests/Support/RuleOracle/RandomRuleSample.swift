import Retention

/// A random schema with random rows, a random rule for it, and what the words of the rule mean for each row.
package struct RandomRuleSample {
    package let seed: UInt64
    private var generator: SeededGenerator
    private(set) var rows: [RandomRow] = []
    let times: RandomTimes
    let isWithoutRowID: Bool
    let groupCollation: String
    let indexes: [String]
    /// How a database of PostgreSQL stores the sample.
    let shape: PostgreSQLShape
    package private(set) var rule: RetentionRule
    private var condition: RandomCondition?
    private var protections: [RandomCondition] = []

    /// With `isPortable` it has only values that PostgreSQL can hold, too.
    package init(seed: UInt64, isPortable: Bool = false) {
        self.seed = seed
        var generator = SeededGenerator(seed: seed)
        func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
        let formats = RandomTimes.formats.filter {
            !isPortable || $0.unit.storage != .text || $0.unit == .dayDigits
        }
        times = RandomTimes(
            format: formats.randomElement(using: &generator) ?? TimeFormat(), isPortable: isPortable)
        isWithoutRowID = chance(0.3)
        groupCollation =
            isPortable
            ? "BINARY" : ["BINARY", "NOCASE", "RTRIM"].randomElement(using: &generator) ?? "BINARY"
        indexes = [
            "CREATE INDEX by_time ON t (at)", "CREATE INDEX by_group ON t (g, at)",
            "CREATE INDEX by_h ON t (h, g, at)",
            "CREATE INDEX by_flag ON t (a, at)",
        ].filter { _ in chance(0.4) }
        let isOrphan = chance(0.15)
        let keepers = [0, 1].filter { _ in chance(isOrphan ? 0.7 : 0.3) }
        rule = RetentionRule(
            name: "old", store: "s", table: "t",
            expiry: isOrphan ? .orphan : .age(column: "at", keep: Span(30, .day)),
            time: isOrphan ? TimeFormat() : times.format,
            keptBy: (isOrphan && keepers.isEmpty ? [0] : keepers).map {
                ColumnReference(table: "k\($0)", column: "item")
            },
            holdLimits: .noneAtAll)
        if !isOrphan, chance(0.5) {
            rule.keepLast = Int64.random(in: 1...8, using: &generator)
            rule.keepLastPer = [["g"], ["h"], ["g", "h"], []].randomElement(using: &generator) ?? []
        }
        if chance(0.6) { condition = .random(2, using: &generator) }
        protections = (0..<Int.random(in: 0...2, using: &generator)).map { _ in .random(1, using: &generator)
        }
        (rule.condition, rule.protect) = (condition?.sql, protections.map(\.sql))
        if chance(0.3) {
            rule.action = .mark([MarkedColumn("m", .integer(1))])
        } else if chance(0.3) {
            rule.tombstone = Tombstone(
                table: "gone", columns: [.init("hash", from: "hash")], condition: "a = 1")
        }
        shape = PostgreSQLShape(for: rule, using: &generator)
        self.generator = generator
        for id in 1...Int.random(in: 1...60, using: &self.generator) { addRow(id) }
    }

    private mutating func addRow(_ id: Int) {
        let (written, micros) = times.next(using: &generator)
        func number(_ share: Double) -> Int? {
            Double.random(in: 0..<1, using: &generator) < share
                ? nil : Int.random(in: 0...3, using: &generator)
        }
        let (a, b, m) = (number(0.1), number(0.3), number(0.3))
        func some(_ values: [String]) -> String { values.randomElement(using: &generator) ?? "NULL" }
        let text = some(["x", "y", "it's", "none"])
        let groups = ["NULL", "1", "2", "'a'", "'A'", "'a '"]
        let group = some(times.isPortable ? groups.filter { $0.count != 1 } : groups)
        let other = some(["NULL", "1", "2"])
        let labels = Set((0..<3).filter { _ in Int.random(in: 0..<5, using: &generator) == 0 })
        let keepers = Set((0..<2).filter { _ in Int.random(in: 0..<5, using: &generator) == 0 })
        rows.append(
            RandomRow(
                id: id, time: micros, written: written, numbers: ["a": a, "b": b],
                text: text == "none" ? nil : text,
                groups: [group, other], mark: m, labels: labels, keepers: keepers, hash: "h\(id % 20)"))
    }

    /// The rows that the rule takes, by what its words mean.
    package var expected: Set<Int> {
        let counted = rows.filter { !rule.action.isMark || $0.mark != 1 }
        return Set(counted.filter { goes($0, among: counted) }.map(\.id))
    }

    private func goes(_ row: RandomRow, among counted: [RandomRow]) -> Bool {
        if rule.expiry != .orphan {
            guard let time = row.time, time < RandomTimes.cutoff * 1_000_000 else { return false }
            if let count = rule.keepLast {
                let present = counted.filter { isInGroup($0, of: row) }.compactMap(\.time).filter {
                    $0 < (RandomTimes.start + 1) * 1_000_000
                }
                let newest = present.sorted(by: >).prefix(Int(count))
                guard newest.count == Int(count), let last = newest.last, time < last else { return false }
            }
        }
        if let condition, condition.value(of: row) != true { return false }
        guard protections.allSatisfy({ $0.value(of: row) == false }) else { return false }
        return !rule.keptBy.contains { row.keepers.contains($0.table == "k0" ? 0 : 1) }
    }

    private func isInGroup(_ a: RandomRow, of b: RandomRow) -> Bool {
        rule.keepLastPer.allSatisfy { column in
            let index = column == "g" ? 0 : 1
            return index == 0 ? compared(a.groups[0]) == compared(b.groups[0]) : a.groups[1] == b.groups[1]
        }
    }

    /// A value of the group as its column's collation compares it.
    private func compared(_ value: String) -> String {
        switch groupCollation {
        case "NOCASE": value.lowercased()
        case "RTRIM": value == "'a '" ? "'a'" : value
        default: value
        }
    }

    /// The tombstones that must be there after the run.
    package var tombstones: [String] {
        let taken = expected
        let added = rows.filter { taken.contains($0.id) && $0.numbers["a"] == 1 }.map(\.hash)
        return Set(rule.tombstone == nil ? ["h1"] : ["h1"] + added).sorted()
    }

    /// How many rows count and are older than the cutoff.
    package var oldRows: Int {
        rows.count { row in
            (!rule.action.isMark || row.mark != 1)
                && (rule.expiry == .orphan || row.time ?? .max < RandomTimes.cutoff * 1_000_000)
        }
    }

    /// The rows that no one may touch.
    package var all: Set<Int> { Set(rows.map(\.id)) }
    package var marked: Set<Int> { Set(rows.filter { $0.mark == 1 }.map(\.id)) }
}
