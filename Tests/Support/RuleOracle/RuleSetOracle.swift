import Retention

/// The tables of a ``RandomRuleSet`` as rules leave them, by what the words of the rules mean.
package struct RuleSetOracle {
    package private(set) var tables: [String: [Int: FlaggedRow]]
    /// The tables whose rows go with the row above.
    package let cascades: Set<String>
    /// What the conditions mean.
    package let conditions: [String: FlagCondition]

    /// What a rule does, and what it leaves alone.
    package struct Taken: Equatable {
        package var rows: Int64
        package var dependents: Int64
        /// The rows that are old enough but stay.
        package var old: Int64

        package init(rows: Int64, dependents: Int64, old: Int64) {
            (self.rows, self.dependents, self.old) = (rows, dependents, old)
        }
    }

    /// Lets a rule take its rows.
    package mutating func take(_ rule: RetentionRule) -> Taken {
        let counted = (tables[rule.table] ?? [:]).filter { !isDone($0.value, rule) }
        let old = counted.filter { isOld($0.value, rule) }
        let expired = old.filter { goes($0.key, $0.value, among: counted, rule) }
        var taken = Taken(rows: Int64(expired.count), dependents: 0, old: Int64(old.count - expired.count))
        for id in expired.keys {
            if case .mark(let columns) = rule.action {
                for mark in columns { tables[rule.table]?[id]?.flags[mark.column] = mark.number }
            } else {
                tables[rule.table]?[id] = nil
                taken.dependents += cascade(under: id, rule.table)
            }
        }
        return taken
    }

    private mutating func cascade(under id: Int, _ table: String) -> Int64 {
        guard let child = RandomRuleSet.child(of: table), cascades.contains(child) else { return 0 }
        let under = (tables[child] ?? [:]).filter { $0.value.up == Int64(id) }.keys
        return under.reduce(0) { count, id in
            tables[child]?[id] = nil
            return count + 1 + cascade(under: id, child)
        }
    }

    private func isDone(_ row: FlaggedRow, _ rule: RetentionRule) -> Bool {
        guard case .mark(let columns) = rule.action else { return false }
        return columns.allSatisfy { (row.flags[$0.column] ?? nil) == $0.number }
    }

    private func time(_ row: FlaggedRow, _ rule: RetentionRule) -> Int64? {
        rule.expiry.column.flatMap { row.times[$0] ?? nil }
    }

    private func isOld(_ row: FlaggedRow, _ rule: RetentionRule) -> Bool {
        let start = RandomTimes.start
        return switch rule.expiry {
        case .age(_, let keep): time(row, rule).map { $0 < start - Int64(days(keep)) * 86_400 } ?? false
        case .deadline: time(row, rule).map { $0 < start } ?? false
        case .orphan: true
        }
    }

    private func days(_ keep: Span) -> Int { Int("\(keep)".dropLast()) ?? 0 }

    private func goes(
        _ id: Int, _ row: FlaggedRow, among counted: [Int: FlaggedRow], _ rule: RetentionRule
    ) -> Bool {
        func value(of condition: String) -> Bool? { conditions[condition]?.value(of: row, id, in: tables) }
        if let condition = rule.condition, value(of: condition) != true { return false }
        guard rule.protect.allSatisfy({ value(of: $0) == false }) else { return false }
        if let count = rule.keepLast, let own = time(row, rule) {
            let isGrouped = !rule.keepLastPer.isEmpty
            let times = counted.values.filter { !isGrouped || $0.group == row.group }.compactMap {
                time($0, rule)
            }
            let newest = times.filter { $0 <= RandomTimes.start }.sorted(by: >).prefix(Int(count))
            guard newest.count == Int(count), let last = newest.last, own < last else { return false }
        }
        return !rule.keptBy.contains { keeper in
            (tables[keeper.table] ?? [:]).values.contains { $0.up == Int64(id) }
        }
    }

    /// The rows with their flags.
    package var left: [String] {
        tables.flatMap { table, rows in
            rows.map { id, row in
                let flags = ["f", "m", "n"].map { (row.flags[$0] ?? nil).map(String.init) ?? "-" }
                return "\(table) \(id) \(flags.joined(separator: " "))"
            }
        }.sorted()
    }
}

extension MarkedColumn {
    /// The value as its column has it.
    fileprivate var number: Int64? {
        switch value {
        case .integer(let value): value
        case .text(let text): Int64(text)
        case .real: nil
        }
    }
}
