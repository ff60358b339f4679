import Pruning
import SQLite

/// The newest rows of a rule's table, by time. Rows with an implausible time, or one ahead of the run's start, do not
/// count.
struct NewestRows {
    /// The time of the oldest of them; nil if the table has fewer rows.
    let lastTime: ColumnTime?
    private let count: Int64
    /// Nil if there are too many to remember, or if they are found so quickly that they need not be remembered.
    private let keys: [TableKey]?

    /// This many rows can be looked up by key in a few milliseconds, in random order and with an empty cache. The cache
    /// is empty after another process has written.
    private static let mostRemembered: Int64 = 500
    /// This many index entries can be skipped in the same time.
    private static let mostPassed: Int64 = 100_000

    /// Finds the newest `count` rows. Throws ``StoreErrorKind/damaged`` if the index on time has entries of other rows.
    init(_ count: Int64, _ condition: ExpiryCondition, in db: Database) throws {
        self.count = count
        let (bound, format) = (condition.bound, condition.task.rule.time)
        let isRemembered = count <= Self.mostRemembered && bound.timeIndex != .exact
        guard bound.timeIndex != nil else {
            let (rows, passed) = isRemembered ? (count, 0) : (1, count - 1)
            let found = try db.rows(
                """
                SELECT \(condition.column)\(isRemembered ? ", " + TableKey.selection(bound.table) : "") \
                \(bound.from(Self.arePlausible(condition))) \
                ORDER BY \(Self.order(condition)) LIMIT :rows OFFSET :passed
                """, condition.values(and: ["rows": .int64(rows), "passed": .int64(passed)]))
            lastTime = found.count == Int(rows) ? found.last.flatMap { ColumnTime($0[0], format) } : nil
            keys = isRemembered ? try found.map { try TableKey($0, from: 1, in: db) } : nil
            return
        }
        let values = condition.values(and: ["count": .int64(count)])
        let entry = (bound.table.name + " entry").quotedIdentifier
        let found = try db.row(
            """
            WITH \(entry) AS MATERIALIZED (\(Self.entries(condition))) SELECT count(*), min(time), \
            (SELECT count(*) FROM \(entry)) FROM (SELECT DISTINCT \(condition.column) AS time, \
            \(bound.table.keyOrder) \(Self.rows(of: condition, entry)))
            """, values)
        let (rows, entries) = (found?[0].integer ?? 0, found?[2].integer ?? 0)
        guard rows == entries else {
            throw StoreError(
                .damaged, operation: "apply rule \(bound.rule.name)", place: bound.rule.store.description,
                cause: "an index on \(bound.table.name).\(bound.time?.name ?? "") does not match its table",
                hint: "look at the store with `PRAGMA integrity_check`; REINDEX makes the index anew")
        }
        lastTime = rows == count ? found.flatMap { ColumnTime($0[1], format) } : nil
        guard isRemembered, lastTime != nil else {
            keys = nil
            return
        }
        let remembered = try db.rows(
            """
            WITH \(entry) AS MATERIALIZED (\(Self.entries(condition))) \
            SELECT DISTINCT \(TableKey.selection(bound.table)) \(Self.rows(of: condition, entry))
            """, values
        ).map { try TableKey($0, in: db) }
        keys = remembered.count == Int(count) ? remembered : nil
    }

    /// SQL for the newest entries of the index on time: the keys of their rows, and what the index says of the times.
    private static func entries(_ condition: ExpiryCondition) -> String {
        let (bound, column) = (condition.bound, condition.column)
        let keys = bound.table.keyParts.enumerated().map { "\($1) AS k\($0)" }.joined(separator: ", ")
        return """
            SELECT \(keys), \(bound.timeIndex?.entry(of: column) ?? column) AS entry \
            \(bound.found(arePlausible(condition))) ORDER BY \(order(condition)) LIMIT :count
            """
    }

    /// SQL for the rows of the table that `entries` names. A damaged index may have entries of rows that are not there, or
    /// have another time: with them, rows that are among the newest would go.
    private static func rows(of condition: ExpiryCondition, _ entries: String) -> String {
        let (table, column) = (condition.bound.table, condition.column)
        let isSame =
            table.keyParts.enumerated().map { "\($1) = \(entries).k\($0)" }
            + ["\(condition.bound.timeIndex?.entry(of: column) ?? column) IS \(entries).entry"]
        return """
            FROM \(entries) CROSS JOIN \(table.itself) \
            WHERE \(isSame.joined(separator: " AND ")) AND \(arePlausible(condition))
            """
    }

    /// Whether all of them are known to exist still, with a time that is not past. Then no past row can have become one
    /// of the newest. This costs little, however large the table is.
    func stand(_ condition: ExpiryCondition, in db: Database) throws -> Bool {
        guard let keys else { return try standByIndex(condition, in: db) }
        let (table, column) = (condition.bound.table, condition.column)
        return try keys.allSatisfy { key in
            try db.row(
                """
                SELECT 1 FROM \(table.itself) WHERE \(table.keySQL) = \(key.sql("newest")) \
                AND \(condition.isNumber) AND +\(column) > :latest AND +\(column) <= :present
                """, condition.values(and: key.arguments("newest"))) != nil
        }
    }

    /// Whether the index, which had the right entries when the rows were found, still has as many that are as new. Fewer
    /// rows are looked up as quickly.
    private func standByIndex(_ condition: ExpiryCondition, in db: Database) throws -> Bool {
        guard condition.bound.timeIndex == .exact, let lastTime,
            (Self.mostRemembered...Self.mostPassed) ~= count
        else { return false }
        let last = try db.row(
            """
            SELECT \(condition.column) \(condition.bound.found(Self.arePlausible(condition))) \
            ORDER BY \(Self.order(condition)) LIMIT 1 OFFSET :passed
            """, condition.values(and: ["passed": .int64(count - 1)]))
        return last.flatMap { ColumnTime($0[0], condition.task.rule.time) }.map { $0 >= lastTime } ?? false
    }

    /// Whether finding `count` of them takes no longer than the app may wait.
    static func areFoundQuickly(_ count: Int64, by index: TimeIndex?) -> Bool {
        index == .exact && count <= mostRemembered
    }

    private static func arePlausible(_ condition: ExpiryCondition) -> String {
        plausible(condition).joined(separator: " AND ")
    }

    private static func plausible(_ condition: ExpiryCondition) -> [String] {
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
