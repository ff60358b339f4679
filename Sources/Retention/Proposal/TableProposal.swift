import FoundationEssentials

/// What a rule on a table could be, or why there is none.
package enum TableProposal: Equatable, Sendable {
    case rule(RuleProposal)
    /// The table is left alone.
    case none(table: String, reason: String)

    /// A proposal for a table of which this was seen until `now`, in a store of which this was seen.
    package init(for table: TableSketch, in store: StoreSketch? = nil, at now: Date) {
        if let obstacle = table.obstacle {
            self = .none(table: table.name, reason: obstacle)
            return
        }
        guard table.rows >= Self.fewRows else {
            self = .none(table: table.name, reason: "\(table.rows.counted("row"))")
            return
        }
        if let reason = TableRole(table.name).reason {
            self = .none(table: table.name, reason: reason)
            return
        }
        let columns = table.columns.map { (column: $0, verdict: TimeColumn($0, at: now)) }
        let times = columns.compactMap { column, verdict -> RuleProposal.Time? in
            guard case .time(let format, let isDeadline, let oldest, let newest) = verdict else { return nil }
            return RuleProposal.Time(
                column: column, format: format, isDeadline: isDeadline, oldest: oldest, newest: newest)
        }
        guard let time = Self.time(among: times, in: table) else {
            self = .none(table: table.name, reason: Self.lack(of: columns))
            return
        }
        self = .rule(
            RuleProposal(
                table: table, time: time, columns: columns, store: store, at: now))
    }

    /// A table with fewer rows is not why a file grows. Often it has what a person made, such as feeds.
    package static let fewRows: Int64 = 1_000

    /// The time to judge by. Times of a person's own doing are none: most rows that have one are wanted. When a row was
    /// read is taken only if there is no other.
    private static func time(among times: [RuleProposal.Time], in table: TableSketch) -> RuleProposal.Time? {
        let judged = times.map { (time: $0, words: NameWords($0.column.name)) }
        let rowTimes = judged.filter { $0.words.meaning == nil && !$0.words.isPlan }.map(\.time)
        // A deadline that the app itself set says more.
        if let deadline = rowTimes.first(where: \.isDeadline) { return deadline }
        let readingTimes = judged.filter { $0.words.meaning == .done }.map(\.time)
        let rest = judged.filter { $0.words.meaning == .gone || $0.words.meaning == nil }.map(\.time)
        return latest(of: rowTimes, in: table) ?? latest(of: readingTimes, in: table) ?? rest.first
    }

    /// The column whose times are the latest in most rows: by it a row stays the longest.
    private static func latest(of times: [RuleProposal.Time], in table: TableSketch) -> RuleProposal.Time? {
        times.max { a, b in
            let pairs = zip(a.dates(of: table), b.dates(of: table))
            let later = pairs.reduce(0) { sum, pair in
                guard let first = pair.0, let second = pair.1 else { return sum + (pair.0 == nil ? 1 : -1) }
                return sum + (second > first ? 1 : second < first ? -1 : 0)
            }
            return later > 0
        }
    }

    private static func lack(of columns: [(column: ColumnSketch, verdict: TimeColumn)]) -> String {
        let remarks = columns.compactMap { $0.verdict.remark(on: $0.column) }
        return remarks.isEmpty ? "no column with times" : remarks.joined(separator: "; ")
    }
}

extension TimeColumn {
    /// Why the rule does not judge by this column; nil if there is nothing to say.
    func remark(on column: ColumnSketch) -> String? {
        switch self {
        case .time(let format, _, _, _):
            NameWords(column.name).meaning == nil
                ? "\(column.name) has \(column.type.isTime ? "times" : format.words), too"
                : "\(column.name) is when a person marked a row"
        case .key(let format):
            "\(column.name) is the key; its values look like \(format.words), probably of the arrival"
        case .unnamed(let format):
            "\(column.name) could be \(format.words) by its values, but not by its name"
        case .stale(let format, let newest):
            "\(column.name) has \(column.type.isTime ? "times" : format.words), but no later one than \(newest.day)"
        case .unproven: "\(column.name) has too few different values to tell whether they are times"
        case .none: nil
        }
    }
}

extension Date {
    /// The day in UTC.
    package var day: String {
        let date = CivilDate(daysSince1970: Int64((timeIntervalSince1970 / 86_400).rounded(.down)))
        let two = { (number: Int) in (number < 10 ? "0" : "") + String(number) }
        return "\(date.year)-\(two(date.month))-\(two(date.day))"
    }
}

extension Int64 {
    fileprivate func counted(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
