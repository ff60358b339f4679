/// A random table, its rows, the tables around it, and a random rule for it, with what the words of the rule mean for
/// each row. It shares nothing with pruned's sources: times are nanoseconds, conditions are trees, keys are texts.
struct RuleSample {
    /// When the rule runs, and where days are counted.
    let moment: RunMoment
    let kind: StoreKind
    let names: SampleNames
    let shape: TableShape
    let format: ColumnFormat
    var rule: SampleRule
    var rows: [SampleRow]
    /// The tables below, from the nearest on.
    let children: [ChildTable]

    /// The Unix second before which a row has expired.
    var cutoff: Int64 {
        rule.span.map { $0.before(moment.now, in: moment.zone) } ?? moment.now
    }

    /// Whether most values of the time column are no times, so that the rule must fail and leave everything as it is.
    var mustFail: Bool { isMisfit(counted) }

    /// The same for what the rule leaves.
    var mustFailAgain: Bool {
        let gone = mustFail ? [] : taken
        return isMisfit(counted.filter { !gone.contains($0.tag) })
    }

    private func isMisfit(_ rows: [SampleRow]) -> Bool {
        // A type of times has no unit that could be wrong.
        guard rule.kind != .orphan, format.unit != nil else { return false }
        let values = rows.filter { $0.time.written != "NULL" }
        // A date of 1999 is none that a rule takes, but it has the right form.
        let fitting = values.filter { $0.time.nanoseconds != nil || $0.time.written == "'1999-12-30'" }
        return 2 * fitting.count < values.count
    }

    /// The rows that the rule takes, by what its words mean.
    var taken: Set<Int> {
        let counted = self.counted
        return Set(counted.filter { goes($0, among: counted) }.map(\.tag))
    }

    /// The rows that do not have the mark.
    var counted: [SampleRow] { rows.filter { !rule.isDone($0) } }

    /// How many rows are old enough, whatever else keeps them.
    var old: Int { counted.count { isOld($0) } }

    /// How many rows stay because their time is none. Of others that `where` leaves out nobody asks.
    var implausible: Int {
        guard rule.kind != .orphan else { return 0 }
        return counted.count { row in
            row.time.nanoseconds == nil && (rule.kind == .age || row.time.written != "NULL")
                && rule.condition.map { $0.value(of: row) == true } ?? true
        }
    }

    private func isOld(_ row: SampleRow) -> Bool {
        guard rule.kind != .orphan else { return true }
        return row.time.nanoseconds.map { $0 < cutoff * 1_000_000_000 } ?? false
    }

    private func goes(_ row: SampleRow, among counted: [SampleRow]) -> Bool {
        guard isOld(row) else { return false }
        // Of a row without a key nobody knows whether something refers to it.
        if rule.kind == .orphan, row.key == ["NULL"] { return false }
        if let count = rule.keepLast, let time = row.time.nanoseconds {
            let group = counted.filter { other in
                rule.keepLastPer.allSatisfy { shape.group(other, $0) == shape.group(row, $0) }
            }
            let present = group.compactMap(\.time.nanoseconds).filter { $0 <= moment.now * 1_000_000_000 }
            let newest = present.sorted(by: >).prefix(count)
            guard newest.count == count, let last = newest.last, time < last else { return false }
        }
        if let condition = rule.condition, condition.value(of: row) != true { return false }
        guard rule.protect.allSatisfy({ $0.value(of: row) == false }) else { return false }
        return !rule.keepers.contains { row.keepers.contains($0) }
    }

    /// Lets the rule take `taken` from the rows.
    mutating func settle(_ taken: Set<Int>) {
        guard !rule.mark.isEmpty else { return rows.removeAll { taken.contains($0.tag) } }
        for index in rows.indices where taken.contains(rows[index].tag) {
            for (column, value) in rule.mark { rows[index].marks[column] = value }
        }
    }

    /// The hashes among the tombstones after the run.
    var tombstones: Set<String> {
        guard let tombstone = rule.tombstone else { return Self.earlierTombstones }
        let taken = self.taken
        let buried = rows.filter { row in
            taken.contains(row.tag) && tombstone.condition.map { $0.value(of: row) == true } ?? true
        }
        return Self.earlierTombstones.union(buried.map(\.hash))
    }

    static let earlierTombstones: Set<String> = ["h1"]
}

/// A rule without its names.
struct SampleRule {
    enum Kind { case age, deadline, orphan }

    var kind = Kind.age
    /// `keep` or `grace`.
    var span: CalendarSpan?
    var condition: SampleCondition?
    var protect: [SampleCondition] = []
    var keepLast: Int?
    /// Of `g` and `h`.
    var keepLastPer: [String] = []
    /// Of the two keepers.
    var keepers: [Int] = []
    /// What a mark sets, as SQL; empty for a rule that deletes.
    var mark: [(column: String, value: String)] = []
    var tombstone: SampleTombstone?
    var archives = false
    var hasIdentity = false
    var isQuiet = false

    func isDone(_ row: SampleRow) -> Bool {
        !mark.isEmpty && mark.allSatisfy { row.marks[$0.column] == $0.value }
    }
}

/// What is remembered of a deleted row.
struct SampleTombstone {
    /// Of which rows; nil for all.
    let condition: SampleCondition?
}

/// A row of the rule's table.
struct SampleRow {
    /// Its number, in a column that the rule knows nothing of.
    let tag: Int
    /// The values of the primary key, as SQL.
    var key: [String]
    let time: SampleTime
    /// The columns `a` and `b`; nil for NULL.
    let numbers: [String: Int?]
    /// The column `c`.
    let text: String?
    /// Whether that column takes texts for equal that differ in their case alone.
    let ignoresCase: Bool
    /// The columns `g` and `h`, as SQL.
    let groups: [String: String]
    /// The columns `m` and `n`, as SQL.
    var marks: [String: String]
    let hash: String
    /// The same row as its source delivers it again.
    func underAnotherKey(of shape: TableShape) -> SampleRow {
        var row = self
        switch shape.key {
        case .integer: row.key = ["\(1_000_000 + tag)"]
        case .text: row.key = ["'again \(tag)'"]
        case .pair: row.key = ["\(1_000_000 + tag)", key[1]]
        case .none: break
        }
        row.keepers = []
        return row
    }

    /// The values of its key as a command line has them; nil for those that it cannot have.
    var plainKey: [String]? {
        guard key != ["NULL"], !key[0].hasPrefix("x'") else { return nil }
        return key.map { value in
            value.hasPrefix("'") ? String(value.dropFirst().dropLast()).replacing("''", with: "'") : value
        }
    }

    /// The kinds of its labels.
    let labels: Set<Int>
    /// The keepers that refer to it.
    var keepers: Set<Int>
}

/// A table whose rows go with the row above by cascade.
struct ChildTable {
    /// For each row, from 1 on, the number of the row above; nil where it has none.
    let rows: [Int?]
}

/// The time of a row.
struct SampleTime {
    /// As SQL.
    let written: String
    /// Since 1970; nil when the value is no time in the rule's format.
    let nanoseconds: Int64?
}
