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
        try TimeTextFunction.define(iso8601, in: db)
        let times = try db.rows(
            "SELECT time, type, text FROM (\(end("ASC", of: time)) UNION \(end("DESC", of: time))) WHERE type <> 'null'"
        )
        let integers = times.filter { $0[1] == .text("integer") }.map(\.[0].integer)
        let fractions = times.compactMap { row in
            if case .double(let number) = row[0] { number } else { nil }
        }
        let dates = times.count { $0[1] == .text("text") && $0[0].integer != 0 }
        let texts = times.compactMap { row in
            if case .text(let text) = row[2] { text } else { nil }
        }
        return TimeSample(
            integers: integers, fractions: fractions, dates: dates,
            others: times.count - integers.count - fractions.count - dates, texts: texts)
    }

    private var iso8601: TimeFormat { TimeFormat(.iso8601) }

    /// SQL for a number, and for a text as the microseconds that it means in ISO 8601.
    private func number(_ column: String) -> String {
        let text = TimeTextFunction.call(column, iso8601)
        return "CASE typeof(\(column)) WHEN 'text' THEN \(text) WHEN 'blob' THEN NULL ELSE \(column) END"
    }

    /// SQL for the beginning of a text that is no time in ISO 8601; NULL for all else.
    private func unread(_ column: String) -> String {
        let text = TimeTextFunction.call(column, iso8601)
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
            SELECT * FROM (SELECT typeof(\(column)) AS type, \(number(column)) AS time, \
            \(unread(column)) AS text, \
            \(table.keyOrder) FROM \(table.name.quotedIdentifier)\(place) ORDER BY \(order) LIMIT \(rows))
            """
    }
}
