import FoundationEssentials

/// What a rule on a table could be, or why there is none.
package enum TableProposal: Equatable, Sendable {
    case rule(RuleProposal)
    /// The table is left alone.
    case none(table: String, reason: String)

    /// A proposal for a table of which this was seen until `now`, in a store with these tables.
    package init(for table: TableSketch, in store: [TableSketch] = [], at now: Date) {
        guard table.rows >= Self.fewRows else {
            self = .none(table: table.name, reason: "\(table.rows.counted("row"))")
            return
        }
        let columns = table.columns.map { (column: $0, verdict: TimeColumn($0, at: now)) }
        let times = columns.compactMap { column, verdict -> RuleProposal.Time? in
            guard case .time(let format, let isDeadline, let oldest, let newest) = verdict else { return nil }
            return RuleProposal.Time(
                column: column, format: format, isDeadline: isDeadline, oldest: oldest, newest: newest)
        }
        guard let time = Self.latest(of: times, in: table) else {
            self = .none(table: table.name, reason: Self.lack(of: columns))
            return
        }
        self = .rule(
            RuleProposal(
                table: table, time: time, others: columns.filter { $0.column != time.column },
                hints: Self.silentReferences(to: table, in: store)))
    }

    /// A table with fewer rows is not why a file grows. Often it has what a person made, such as feeds.
    package static let fewRows: Int64 = 1_000

    /// The column whose times are the latest in most rows: by it a row stays the longest. A deadline that the app itself
    /// set says more.
    private static func latest(of times: [RuleProposal.Time], in table: TableSketch) -> RuleProposal.Time? {
        if let deadline = times.first(where: \.isDeadline) { return deadline }
        return times.max { a, b in
            let pairs = zip(a.dates(of: table), b.dates(of: table))
            let later = pairs.reduce(0) { sum, pair in
                guard let first = pair.0, let second = pair.1 else { return sum + (pair.0 == nil ? 1 : -1) }
                return sum + (second > first ? 1 : second < first ? -1 : 0)
            }
            return later > 0
        }
    }

    /// The columns of other tables that seem to refer to this one, though no foreign key says so.
    private static func silentReferences(to table: TableSketch, in store: [TableSketch]) -> [String] {
        let name = table.name.lowercased()
        let singular = name.hasSuffix("s") ? String(name.dropLast()) : name
        let names = Set([name, singular].flatMap { [$0 + "id", "id" + $0] })
        return store.filter { $0.name != table.name }.flatMap { other in
            other.columns.filter { column in
                column.refersTo == nil && names.contains(column.name.lowercased().replacing("_", with: ""))
            }.map {
                "\(other.name).\($0.name) may refer to it, without a foreign key;"
                    + " kept_by = \"\(other.name).\($0.name)\" keeps what it refers to"
            }
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
        case .time(let format, _, _, _): "\(column.name) has \(format.words), too"
        case .key(let format):
            "\(column.name) is the key; its values look like \(format.words), probably of the arrival"
        case .unnamed(let format):
            "\(column.name) could be \(format.words) by its values, but not by its name"
        case .stale(let format, let newest):
            "\(column.name) has \(format.words), but no later one than \(newest.day)"
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
