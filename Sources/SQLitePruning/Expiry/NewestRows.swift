import SQLite

/// The newest rows of a rule's table by their time, of those whose time is plausible.
struct NewestRows {
    /// The time of the last of them; nil when the table has fewer.
    let lastTime: Int64?
    /// Nil when they are too many to be remembered, or found so quickly that they need not be.
    private let keys: [TableKey]?

    /// As many are looked up by their keys in a few milliseconds, in random order and with nothing in the cache, which
    /// others' writing empties.
    private static let mostRemembered: Int64 = 500
    /// As many entries of an index are passed in that time.
    private static let mostPassed: Int64 = 100_000

    /// Looks for the newest `count` rows.
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
        lastTime = found.count == Int(rows) ? found.last?[0].integer : nil
        keys = isRemembered ? try found.map { try TableKey($0, from: 1, in: db) } : nil
    }

    /// Whether they are known to be there all, and not past: then no other row has become one of the newest. To look
    /// costs little, however large the table is.
    func stand(_ condition: ExpiryCondition, in db: Database) throws -> Bool {
        guard let keys else { return false }
        let (table, column) = (condition.bound.table, condition.column)
        return try keys.allSatisfy { key in
            try db.row(
                """
                SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(table.keySQL) = \(key.sql("newest")) \
                AND typeof(\(column)) = 'integer' AND +\(column) > :latest AND +\(column) <= :highest
                """, condition.values(and: key.arguments("newest"))) != nil
        }
    }

    /// Whether looking for `count` of them takes no longer than the app may wait.
    static func areFoundQuickly(_ count: Int64, by index: TimeIndex?) -> Bool {
        index == .exact && count <= mostPassed
    }

    private static func arePlausible(_ condition: ExpiryCondition) -> [String] {
        let column = condition.column
        let type = "typeof(\(column)) = 'integer'"
        switch condition.bound.timeIndex {
        case .exact:
            return ["\(column) >= :lowest", "\(column) <= :highest", type] + condition.notGone
        case .byDay(let perDay):
            let days = "\(column) / \(perDay) BETWEEN :lowest / \(perDay) AND :highest / \(perDay)"
            return [days, type, "+\(column) BETWEEN :lowest AND :highest"] + condition.notGone
        case nil:
            return [type, "\(column) BETWEEN :lowest AND :highest"] + condition.notGone
        }
    }

    /// Entries of a day stand in key order: they are all that is left to be sorted.
    private static func order(_ condition: ExpiryCondition) -> String {
        let newest = "\(condition.column) DESC"
        guard let index = condition.bound.timeIndex, index != .exact else { return newest }
        return "\(index.entry(of: condition.column)) DESC, \(newest)"
    }
}
