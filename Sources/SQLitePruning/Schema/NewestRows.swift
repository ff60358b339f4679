import GRDB

/// The newest rows of a rule's table by their time, of those whose time is plausible.
struct NewestRows {
    let count: Int64
    let condition: ExpiryCondition

    private var table: String { condition.bound.table.name.quotedIdentifier }
    private var index: TimeIndex? { condition.bound.timeIndex }

    /// The time of the last of them; nil when the table has fewer.
    func lastTime(in db: Database) throws -> Int64? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(condition.column) FROM \(table) WHERE \(isPlausible.joined(separator: " AND ")) \
                ORDER BY \(order) LIMIT 1 OFFSET :passed
                """)
        condition.bind(to: statement, ["passed": (count - 1).databaseValue])
        return try Int64.fetchOne(statement)
    }

    /// Whether looking for them takes no longer than the app may wait.
    func areFoundQuickly(in db: Database) throws -> Bool {
        guard index == nil else { return count <= Self.few }
        let rows = "SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT \(Self.few + 1))"
        return try Int64.fetchOne(db, sql: rows) ?? 0 <= Self.few
    }

    /// As many rows are passed in a millisecond or two.
    private static let few: Int64 = 10_000

    private var isPlausible: [String] {
        let column = condition.column
        let type = "typeof(\(column)) = 'integer'"
        switch index {
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
    private var order: String {
        let column = condition.column
        let values = [index?.entry(of: column), column].compactMap(\.self)
        return values.map { $0 + " DESC" }.joined(separator: ", ")
    }
}
