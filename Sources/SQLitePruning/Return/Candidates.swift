import Archive
import FoundationEssentials
import Pruning
import Retention
import SQLite

/// Where rows of a rule's table may be that came back since the last look: as walks, which together pass all of them.
struct Candidates {
    /// A walk over some of the rows.
    struct Part {
        let walk: any Walk
        var start = WalkPosition.start
        /// SQL that is true of the rows of the walk that may have come back.
        var terms: [String] = []
    }

    let parts: [Part]

    /// A row that was inserted as the app's clock was a little behind is not overlooked.
    private static let margin: TimeInterval = 86_400

    /// All rows if nothing tells the new ones: there was no look, the last row of it is no longer the same, or rows have
    /// no numbers or no times as numbers. Else the rows
    ///
    /// - from that last row on, which may have been deleted and have come back under its old number,
    /// - that are old enough to expire, whatever protects them: they may be those of an old copy of the file,
    /// - and for a rule by age, those with a time since that look: not all apps number rows in their order.
    init(_ condition: ExpiryCondition, last: LastLook?, isSameRow: Bool, in db: Database) throws {
        let all = TableWalk(condition: condition)
        let table = condition.bound.table
        guard let last, let row = last.row, isSameRow, !table.isWithoutRowID, let time = condition.bound.time,
            time.format.unit.storage != .text
        else {
            parts = [Part(walk: all)]
            return
        }
        let since: Int64? =
            if case .age = condition.task.rule.expiry {
                time.format.value(
                    ofSecond: Int64((last.date.timeIntervalSince1970 - Self.margin).rounded(.down)))
            } else { nil }
        guard let index = time.index else {
            let times =
                ["\(condition.column) BETWEEN :lowest AND :latest"]
                + (since.map { ["\(condition.column) BETWEEN \($0) AND :highest"] } ?? [])
            let terms = ["+\(table.keySQL) >= \(row)"] + times
            parts = [Part(walk: all, terms: ["(" + terms.joined(separator: " OR ") + ")"])]
            return
        }
        let latest = Part(
            walk: all,
            start: row == .min ? .start : .pastKey(try TableKey([.int64(0), .int64(row - 1)], in: db)))
        let old = Part(walk: IndexWalk(condition: condition, index: index))
        let new = since.map {
            Part(
                walk: IndexWalk(condition: condition, index: index, first: "(\($0))", last: ":highest"))
        }
        parts = [latest, old, new].compactMap(\.self)
    }
}
