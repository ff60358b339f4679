import Archive
import FoundationEssentials
import Pruning
import Retention
import SQLite

/// Rows of a rule's table that may have come back since the last look: a walk over some of them.
struct Candidates {
    let walk: any Walk
    /// Where the walk goes on.
    var position = WalkPosition.start
    /// SQL that is true of the rows of the walk that may have come back.
    var terms: [String] = []

    /// The same, from `position` on.
    func after(_ position: WalkPosition) -> Self { Self(walk: walk, position: position, terms: terms) }

    /// A row that was inserted as the app's clock was a little behind is not overlooked.
    private static let margin: TimeInterval = 86_400

    /// Walks that together pass all of them.
    ///
    /// All rows if nothing tells the new ones: there was no look, the last row of it is no longer the same, or rows have
    /// no numbers or no times as numbers. Else the rows
    ///
    /// - from that last row on, which may have been deleted and have come back under its old number,
    /// - that are old enough to expire, whatever protects them: they may be those of an old copy of the file,
    /// - and for a rule by age, those with a time since that look: not all apps number rows in their order.
    static func all(
        _ condition: ExpiryCondition, last: LastLook?, isSameRow: Bool, in db: Database
    ) throws -> [Self] {
        let all = TableWalk(condition: condition)
        let table = condition.bound.table
        guard let last, let row = last.row, isSameRow, !table.isWithoutRowID, let time = condition.bound.time,
            time.format.unit.storage != .text
        else {
            return [Self(walk: all)]
        }
        let since: String? =
            if case .age = condition.task.rule.expiry {
                ColumnTime(
                    time.format.value(
                        ofSecond: Int64((last.date.timeIntervalSince1970 - Self.margin).rounded(.down))),
                    time.format
                ).literal
            } else { nil }
        guard let index = time.index else {
            let times =
                ["\(condition.column) BETWEEN :lowest AND :latest"]
                + (since.map { ["\(condition.column) BETWEEN \($0) AND :highest"] } ?? [])
            let terms = ["+\(table.keySQL) >= \(row)"] + times
            return [Self(walk: all, terms: ["(" + terms.joined(separator: " OR ") + ")"])]
        }
        let latest = Self(
            walk: all,
            position: row == .min ? .start : .pastKey(try TableKey([.int64(0), .int64(row - 1)], in: db)))
        let old = Self(walk: IndexWalk(condition: condition, index: index))
        let new = since.map {
            Self(
                walk: IndexWalk(condition: condition, index: index, first: "(\($0))", last: ":highest"))
        }
        return [latest, old, new].compactMap(\.self)
    }
}
