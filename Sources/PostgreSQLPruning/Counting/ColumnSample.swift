import Retention

/// The values of a time column in the first and the last pages of its table, without NULL. Rows that already have the
/// rule's mark say nothing of those that it looks for.
struct ColumnSample {
    let condition: ExpiryCondition
    /// About how many rows at each end.
    let rows: Int
    private var bound: BoundRule { condition.bound }

    init(condition: ExpiryCondition, rows: Int) { (self.condition, self.rows) = (condition, rows) }

    /// A type of PostgreSQL's says itself that its values are times, so only numbers and ids are looked at.
    func take(in connection: Connection) throws -> TimeSample {
        guard let time = bound.time, time.storage.isWritten else { return TimeSample(integers: []) }
        let values = try values(of: time, in: connection)
        guard time.storage == .id else { return TimeSample(numbers: values) }
        return TimeSample(integers: [], others: values.count, texts: values)
    }

    private func values(of time: TimeColumn, in connection: Connection) throws -> [String] {
        // What earlier rules are presumed to leave has no pages, and neither has a table of Citus.
        guard condition.task.presumedDone.isEmpty, !bound.relation.isDistributed else {
            return try valuesLeft(of: time, in: connection)
        }
        let ends = bound.leaves.count > 1 ? [bound.leaves.first, bound.leaves.last] : [bound.leaves.first]
        return try ends.compactMap(\.self).flatMap { try values(of: time, $0, in: connection) }
    }

    private func valuesLeft(of time: TimeColumn, in connection: Connection) throws -> [String] {
        let from = condition.from()
        let terms = ["\(time.sql) IS NOT NULL"] + condition.notGone
        return try connection.query(
            """
            \(condition.with(of: from))SELECT \(time.sql)::text \(from) WHERE \(terms.joined(separator: " AND ")) \
            LIMIT \(rows)
            """
        ).rows.compactMap { $0[0] }
    }

    private func values(of time: TimeColumn, _ leaf: Relation, in connection: Connection) throws -> [String] {
        let pages = max(1, Int64(rows / Self.rowsOfPage))
        let size =
            try connection.query(
                "SELECT pg_relation_size($1::oid::regclass) / current_setting('block_size')::int",
                ["\(leaf.oid)"]
            ).integer(0, 0) ?? 0
        let tid = bound.relation.alias + ".ctid"
        // In a short table the two ends overlap.
        let places = ["\(tid) < '(\(pages),0)'::tid", "\(tid) >= '(\(max(pages, size - pages)),0)'::tid"]
        let isUnmarked = bound.mark.map { " AND NOT \($0.isSet(in: bound.relation))" } ?? ""
        return try places.flatMap { place in
            try connection.query(
                """
                SELECT \(time.sql)::text FROM ONLY \(leaf.sql) AS \(bound.relation.alias) \
                WHERE \(place) AND \(time.sql) IS NOT NULL\(isUnmarked) LIMIT \(rows)
                """
            ).rows.compactMap { $0[0] }
        }
    }

    private static let rowsOfPage = 20
}
