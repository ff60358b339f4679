import FoundationEssentials

/// A rule that a person could want on a table, with the reason for each of its settings.
package struct RuleProposal: Equatable, Sendable {
    /// The column that the rule would judge by.
    package struct Time: Equatable, Sendable {
        package let column: ColumnSketch
        package let format: TimeFormat
        package let isDeadline: Bool
        package let oldest: Date
        package let newest: Date

        /// The column's times in the rows that were looked at; nil where a row has none.
        func dates(of table: TableSketch) -> [Date?] { column.values.map { format.date(of: $0) } }
    }

    /// A value of a setting, and why it is proposed.
    package struct Reasoned: Equatable, Sendable {
        package let value: String
        package let reason: String
    }

    package let table: TableSketch
    package let time: Time
    /// SQL for `where`; several are all demanded.
    package let conditions: [Reasoned]
    package let protect: [Reasoned]
    package let dependents: [Reasoned]
    package let keptBy: [Reasoned]
    /// What else a person should know.
    package let remarks: [String]
    /// Why the rule could delete what a person wants: it is for a person to decide, and is not in force until then.
    package let doubts: [String]

    init(
        table: TableSketch, time: Time, columns: [(column: ColumnSketch, verdict: TimeColumn)],
        store: StoreSketch?, at now: Date
    ) {
        self.table = table
        self.time = time
        let referrers = Referrers(of: table, in: store?.tables ?? [])
        var (conditions, protect, remarks): ([Reasoned], [Reasoned], [String]) = ([], [], [])
        var doubts: [String] = []
        for (column, verdict) in columns {
            let said = { (isProven: Bool, meaning: String) in
                isProven ? meaning : "\(meaning); unproven, all rows looked at have one value"
            }
            let isTime = column.type.isTime || TimeColumn.areTimes(column.values, at: now)
            switch FlagColumn(column, sql: column.sqlName, isTime: isTime) {
            case .condition(let sql, let isProven)?:
                conditions.append(
                    Reasoned(value: sql, reason: said(isProven, "only what a person is done with")))
            case .protection(let sql, let isProven)?:
                protect.append(Reasoned(value: sql, reason: said(isProven, "what a person marked stays")))
            case .remark(let text)?: remarks.append("\(column.name) \(text)")
            case .doubt(let text)?: doubts.append("\(column.name) \(text)")
            case nil where column == time.column: break
            case nil:
                if NameWords(column.name).isPlan {
                    doubts.append("\(column.name) may say when something comes up that a row is for")
                } else if let remark = verdict.remark(on: column) {
                    remarks.append(remark)
                }
            }
        }
        doubts += Self.doubts(of: time)
        // Such letters often say what is read, too: a row without any may be one that is not.
        let flags = columns.map(\.column.name).first { NameWords($0).isBits }
        if conditions.isEmpty, let flags, !doubts.contains(where: { $0.hasPrefix(flags) }) {
            doubts.append("\(flags) may also say which rows are unread, and no other column does")
        }
        self.conditions = conditions
        self.protect = protect
        if !conditions.isEmpty {
            remarks.append(
                "what its source still delivers may come back as unread once it is deleted: source_window says for how long"
            )
        }
        self.remarks = remarks + referrers.remarks
        if let store, store.unseen > 0 {
            doubts.append(
                "only \(store.tables.count) of \(store.tables.count + store.unseen) tables were looked at, and another"
                    + " may say which rows matter")
        }
        self.doubts = doubts + referrers.doubts
        dependents = referrers.dependents
        keptBy = referrers.keptBy.sorted { $0.value < $1.value }
    }

    private static func doubts(of time: Time) -> [String] {
        let words = NameWords(time.column.name)
        if words.isPlan {
            return ["\(time.column.name) may be when something of a row ends, and not the row"]
        }
        return words.meaning == .gone
            ? ["\(time.column.name) is only when the app deleted a row for its user"] : []
    }

    /// The proposed rule. A rule on a deadline has no `keep`.
    package func rule(named name: Name, on store: Name, keep: Span) -> RetentionRule {
        RetentionRule(
            name: name, store: store, table: table.name,
            expiry: time.isDeadline
                ? .deadline(column: time.column.name, grace: nil)
                : .age(column: time.column.name, keep: keep),
            time: time.format, condition: condition, protect: protect.map(\.value),
            dependents: Set(dependents.map(\.value)),
            keptBy: keptBy.compactMap { ColumnReference(qualified: $0.value) },
            archiveKeep: isArchived ? RetentionRule.defaultArchiveKeep : nil)
    }

    /// Whether deleted rows would be archived. The archive takes no dependents, and rows with a deadline come again.
    package var isArchived: Bool { !time.isDeadline && dependents.isEmpty }

    /// The SQL of `where`; nil if every row may go.
    package var condition: String? {
        guard conditions.count > 1 else { return conditions.first?.value }
        return conditions.map(\.value).joined(separator: " AND ")
    }

    /// About how many rows such a rule would delete at `now`, by the rows that were looked at. What flags and other
    /// tables keep is not left out.
    package func estimate(keep: Span, at now: Date, in timeZone: Zone) -> Int64 {
        let expiry =
            time.isDeadline
            ? Expiry.deadline(column: "", grace: nil) : .age(column: "", keep: keep)
        let cutoff = expiry.cutoff(at: now, in: timeZone)
        return table.estimate(before: cutoff, time.column, time.format)
    }
}

extension TableSketch {
    /// About how many rows have an earlier time than `cutoff` in a column, by the rows that were looked at.
    package func estimate(before cutoff: Date, _ column: ColumnSketch, _ format: TimeFormat) -> Int64 {
        let rows = spread.filter { column.values.indices.contains($0) }
        guard !rows.isEmpty else { return 0 }
        let old = rows.count { row in format.date(of: column.values[row]).map { $0 < cutoff } ?? false }
        return Int64((Double(old) / Double(rows.count) * Double(self.rows)).rounded())
    }
}
