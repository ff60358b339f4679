import FoundationEssentials

/// What a rule on a table could be, or why there is none.
package enum TableProposal: Equatable, Sendable {
    case rule(RuleProposal)
    /// The table is left alone.
    case none(table: String, reason: String)
    /// So is one that is too small to be why a file grows.
    case small(table: String)

    /// A proposal for a table of which this was seen until `now`.
    package init(
        for table: TableSketch, in tables: [TableSketch] = [], references: [ValueReference] = [],
        covering: Set<String> = [], at now: Date
    ) {
        if let obstacle = table.obstacle {
            self = .none(table: table.name, reason: obstacle)
            return
        }
        guard table.rows >= Self.fewRows(in: tables) else {
            self = .small(table: table.name)
            return
        }
        let columns = table.columns.map { JudgedColumn($0, at: now) }
        guard let time = Self.time(of: table, columns) else {
            let told = columns.compactMap { column in column.words.map { "\(column.sketch.name): \($0)" } }
            self = .none(
                table: table.name,
                reason: told.isEmpty ? "no column with times" : told.joined(separator: "; "))
            return
        }
        self = .rule(
            RuleProposal(
                table: table, time: time, columns: columns, references: references, covering: covering,
                tables: tables))
    }

    /// A table with fewer rows is not why a file grows. Often it has what a person made, such as feeds.
    private static let fewRows: Int64 = 1_000
    /// Where all tables have few rows, less than this many tell nothing.
    private static let fewestRows: Int64 = 20

    /// A table with fewer rows is small among these.
    package static func fewRows(in tables: [TableSketch]) -> Int64 {
        tables.isEmpty || tables.contains { $0.rows >= fewRows } ? fewRows : fewestRows
    }

    /// Whether a rule is possible on a table, as far as its own values tell.
    package static func isPossible(on table: TableSketch, in tables: [TableSketch], at now: Date) -> Bool {
        guard table.obstacle == nil, table.rows >= fewRows(in: tables) else { return false }
        return time(of: table, table.columns.map { JudgedColumn($0, at: now) }) != nil
    }

    /// The time to judge by.
    private static func time(of table: TableSketch, _ columns: [JudgedColumn]) -> RuleProposal.Time? {
        let times = columns.compactMap { judged -> RuleProposal.Time? in
            guard case .time(let format, let isAhead, let oldest, let newest) = judged.time else {
                return nil
            }
            return RuleProposal.Time(
                column: judged.sketch, format: format, isAhead: isAhead, oldest: oldest, newest: newest)
        }
        return latest(of: times.filter { !$0.isAhead }, in: table) ?? times.first
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
}
