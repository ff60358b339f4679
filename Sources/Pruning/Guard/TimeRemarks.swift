import FoundationEssentials
import Retention
import TerminalText

/// What a person should know of the times in a rule's column that fit its unit, or are not there at all.
struct TimeRemarks {
    let task: PruneTask
    let sketching: any StoreSketching

    private var rule: RetentionRule { task.rule }

    func take(from view: any ViewContext) throws(StoreError) -> [String] {
        guard let column = rule.expiry.column else { return [] }
        let name = "\(rule.table).\(column)"
        let times = try view.newestTimes(ClockEvidence.strays + 1, of: rule, notAfter: Self.end)
        guard let newest = ClockEvidence.newest(of: times) else {
            let rows = try view.rowCount(of: task)
            return rows > 0
                ? ["none of \(rows.grouped) row\(rows == 1 ? "" : "s") has a time in \(name)" + others] : []
        }
        guard case .age = rule.expiry, newest.timeIntervalSince(task.start) > Self.farAhead else { return [] }
        let day = HeldRule.day(of: newest, in: task.timeZone)
        let unread = UnreadFormat(of: try view.timeSample(of: task, rows: Self.sample), at: task.start)
        let looks = unread.map { "they look like \($0.words), which pruned does not read" }
        return [
            "the times in \(name) lie far ahead, up to \(day): "
                + (looks ?? "as \(rule.time.words) none of them expires soon; check unit and epoch")
        ]
    }

    /// The columns of the table that do have times, by a look at some rows.
    private var others: String {
        let table = (try? sketching.take())?.tables.first { $0.name == rule.table }
        let names = (table?.columns ?? []).filter { column in
            switch TimeColumn(column, at: task.start) {
            case .time, .stale: true
            case .key, .unread, .none: false
            }
        }.map(\.name)
        return names.isEmpty ? "" : "; by their values, times are in \(names.joined(separator: ", "))"
    }

    /// The end of the year 8999: times up to here are compared.
    private static let end = Date(timeIntervalSince1970: 221_845_392_000)
    /// In seconds: twenty years.
    private static let farAhead: TimeInterval = 20 * 365 * 86_400
    private static let sample = 200
}
