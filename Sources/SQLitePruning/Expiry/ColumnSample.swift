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
        guard let time = condition.bound.time else { return TimeSample(integers: []) }
        try TimeTextFunction.define(time.format.zone, in: db)
        let times = try db.rows(
            "SELECT time, type, text FROM (\(end("ASC", of: time)) UNION \(end("DESC", of: time))) WHERE type <> 'null'"
        )
        let integers = times.filter { $0[1] == .text("integer") }.map(\.[0].integer)
        let fractions = times.filter { $0[1] == .text("real") }.map(\.[0].integer)
        let dates = times.count { $0[1] == .text("text") && $0[0].integer != 0 }
        let texts = times.compactMap { row in
            if case .text(let text) = row[2] { text } else { nil }
        }
        return TimeSample(
            integers: integers, fractions: fractions, dates: dates,
            others: times.count - integers.count - fractions.count - dates, texts: texts)
    }

    /// SQL for a number as an integer, rounded down, and for a text as the microseconds that it means.
    private func integer(_ column: String, _ time: TimeColumn) -> String {
        let text = TimeTextFunction.call(column, time.format.zone)
        return
            "CASE typeof(\(column)) WHEN 'text' THEN \(text) WHEN 'blob' THEN NULL ELSE CAST(\(column) AS INTEGER) END"
    }

    /// SQL for the beginning of a text that is no time; NULL for all else.
    private func unread(_ column: String, _ time: TimeColumn) -> String {
        let text = TimeTextFunction.call(column, time.format.zone)
        return
            "iif(typeof(\(column)) = 'text' AND \(text) = 0, substr(\(column), 1, \(Self.longestText)), NULL)"
    }

    /// In characters. No format of times needs more.
    private static let longestText = 80

    private func end(_ direction: String, of time: TimeColumn) -> String {
        let table = condition.bound.table
        let column = time.raw(of: table.name)
        let place = condition.notGone.isEmpty ? "" : " WHERE " + condition.notGone.joined(separator: " AND ")
        let order = table.keyParts.map { $0 + " " + direction }.joined(separator: ", ")
        return """
            SELECT * FROM (SELECT typeof(\(column)) AS type, \(integer(column, time)) AS time, \
            \(unread(column, time)) AS text, \
            \(table.keyOrder) FROM \(table.name.quotedIdentifier)\(place) ORDER BY \(order) LIMIT \(rows))
            """
    }
}
