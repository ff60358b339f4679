import Retention
import SQLite

/// The values in the time column of the first and the last rows of a rule's table, in key order. A dry run leaves out
/// the rows that earlier rules would have deleted.
struct ColumnSample {
    let condition: ExpiryCondition
    /// The number of rows from each end.
    let rows: Int

    /// The values, without NULLs.
    func take(in db: Database) throws -> TimeSample {
        // In a short table the two ends overlap. The key is part of each row, so UNION removes only rows that are in
        // both.
        let times = try db.rows(
            "SELECT time, type FROM (\(end("ASC")) UNION \(end("DESC"))) WHERE type <> 'null'")
        let integers = times.compactMap { row in if case .int64(let time) = row[0] { time } else { nil } }
        let (dates, fractions) = (
            times.count { $0[1] == .text("date") }, times.count { $0[1] == .text("real") }
        )
        return TimeSample(
            integers: integers, others: times.count - integers.count, dates: dates, fractions: fractions)
    }

    /// SQL for the type as SQLite calls it, or `date` for text that begins like a date.
    private func type(of column: String) -> String {
        let date = "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*"
        return "iif(typeof(\(column)) = 'text' AND \(column) GLOB '\(date)', 'date', typeof(\(column)))"
    }

    private func end(_ direction: String) -> String {
        let table = condition.bound.table
        let column = condition.column
        let place = condition.notGone.isEmpty ? "" : " WHERE " + condition.notGone.joined(separator: " AND ")
        let order = table.keyParts.map { $0 + " " + direction }.joined(separator: ", ")
        return """
            SELECT * FROM (SELECT \(type(of: column)) AS type, iif(typeof(\(column)) = 'integer', \(column), NULL) AS time, \
            \(table.keyOrder) FROM \(table.name.quotedIdentifier)\(place) ORDER BY \(order) LIMIT \(rows))
            """
    }
}
