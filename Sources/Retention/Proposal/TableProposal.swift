import FoundationEssentials

/// What a rule on a table could be, or why there is none.
package enum TableProposal: Equatable, Sendable {
    case rule(RuleProposal)
    /// The table is left alone.
    case none(table: String, reason: String)
    /// So is one that is too small to be why a file grows.
    case small(table: String)

    /// A proposal for a table of which this was seen until `now`. One with fewer than `fewRows` is small.
    package init(
        for table: TableSketch, in tables: [TableSketch] = [], references: [ValueReference] = [],
        covering: Set<String> = [], fewRows: Int64 = usuallyFew, at now: Date
    ) {
        if let obstacle = table.obstacle {
            self = .none(table: table.name, reason: obstacle)
            return
        }
        guard table.rows >= fewRows else {
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
    package static let usuallyFew: Int64 = 1_000
    /// Where no larger table could have a rule, less than this many tell nothing.
    private static let fewest: Int64 = 20

    /// Of how many rows a table is small among `tables`.
    package static func fewRows(in tables: [TableSketch], at now: Date) -> Int64 {
        tables.contains { isPossible(on: $0, fewRows: usuallyFew, at: now) } ? usuallyFew : fewest
    }

    /// Whether a rule is possible on a table, as far as its own values tell.
    package static func isPossible(on table: TableSketch, fewRows: Int64, at now: Date) -> Bool {
        guard table.obstacle == nil, table.rows >= fewRows else { return false }
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
