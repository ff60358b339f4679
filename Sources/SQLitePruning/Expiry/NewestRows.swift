import SQLite

/// The newest rows of a rule's table, by time. Rows with an implausible time, or one ahead of the run's start, do not
/// count.
struct NewestRows {
    /// The time of the oldest of them; nil if the table has fewer rows.
    let lastTime: ColumnTime?
    /// Nil if there are too many to remember, or if they are found so quickly that they need not be remembered.
    private let keys: [TableKey]?

    /// This many rows can be looked up by key in a few milliseconds, in random order and with an empty cache. The cache
    /// is empty after another process has written.
    private static let mostRemembered: Int64 = 500
    /// This many index entries can be skipped in the same time.
    private static let mostPassed: Int64 = 100_000

    /// Finds the newest `count` rows.
    init(_ count: Int64, _ condition: ExpiryCondition, in db: Database) throws {
        let isRemembered = count <= Self.mostRemembered && condition.bound.timeIndex != .exact
        let (rows, passed) = isRemembered ? (count, 0) : (1, count - 1)
        let found = try db.rows(
            """
            SELECT \(condition.column)\(isRemembered ? ", " + TableKey.selection(condition.bound.table) : "") \
            FROM \(condition.bound.table.name.quotedIdentifier) \
            WHERE \(Self.arePlausible(condition).joined(separator: " AND ")) \
            ORDER BY \(Self.order(condition)) LIMIT :rows OFFSET :passed
            """, condition.values(and: ["rows": .int64(rows), "passed": .int64(passed)]))
        lastTime =
            found.count == Int(rows)
            ? found.last.flatMap { ColumnTime($0[0], condition.task.rule.time) } : nil
        keys = isRemembered ? try found.map { try TableKey($0, from: 1, in: db) } : nil
    }

    /// Whether all of them are known to exist still, with a time that is not past. Then no past row can have become one
    /// of the newest. This costs little, however large the table is.
    func stand(_ condition: ExpiryCondition, in db: Database) throws -> Bool {
        guard let keys else { return false }
        let (table, column) = (condition.bound.table, condition.column)
        return try keys.allSatisfy { key in
            try db.row(
                """
                SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(table.keySQL) = \(key.sql("newest")) \
                AND \(condition.isNumber) AND +\(column) > :latest AND +\(column) <= :present
                """, condition.values(and: key.arguments("newest"))) != nil
        }
    }

    /// Whether finding `count` of them takes no longer than the app may wait.
    static func areFoundQuickly(_ count: Int64, by index: TimeIndex?) -> Bool {
        index == .exact && count <= mostPassed
    }

    private static func arePlausible(_ condition: ExpiryCondition) -> [String] {
        let column = condition.column
        let type = condition.isNumber
        switch condition.bound.timeIndex {
        case .exact:
            return ["\(column) >= :lowest", "\(column) <= :present", type] + condition.notGone
        case .byDay(let perDay):
            let days = "\(column) / \(perDay) BETWEEN :lowest / \(perDay) AND :present / \(perDay)"
            return [days, type, "+\(column) BETWEEN :lowest AND :present"] + condition.notGone
        case nil:
            return [type, "\(column) BETWEEN :lowest AND :present"] + condition.notGone
        }
    }

    /// An index by day leaves only the rows of each day to be sorted.
    private static func order(_ condition: ExpiryCondition) -> String {
        let newest = "\(condition.column) DESC"
        guard let index = condition.bound.timeIndex, index != .exact else { return newest }
        return "\(index.entry(of: condition.column)) DESC, \(newest)"
    }
}
