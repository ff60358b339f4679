import Retention

/// The values of a time column in the first and the last pages of its table, without NULL.
struct ColumnSample {
    let bound: BoundRule
    /// About how many rows at each end.
    let rows: Int

    /// A type of PostgreSQL's says itself that its values are times, so only numbers are looked at.
    func take(in connection: Connection) throws -> TimeSample {
        guard let time = bound.time, time.storage == .integer || time.storage == .real else {
            return TimeSample(integers: [])
        }
        var integers: [Int64] = []
        var (fractions, others): ([Int64], Int) = ([], 0)
        for leaf in [bound.leaves.first, bound.leaves.last].compactMap(\.self) {
            for value in try values(of: time, leaf, in: connection) {
                if let number = Int64(value) {
                    integers.append(number)
                } else if let number = Double(value), abs(number) < 9e18 {
                    fractions.append(Int64(number.rounded(.down)))
                } else {
                    others += 1
                }
            }
        }
        return TimeSample(integers: integers, fractions: fractions, others: others)
    }

    private func values(of time: TimeColumn, _ leaf: Relation, in connection: Connection) throws -> [String] {
        let pages = max(1, Int64(rows / Self.rowsOfPage))
        let size =
            try connection.query(
                "SELECT pg_relation_size($1::oid::regclass) / current_setting('block_size')::int",
                ["\(leaf.oid)"]
            ).integer(0, 0) ?? 0
        let tid = bound.relation.alias + ".ctid"
        let places = ["\(tid) < '(\(pages),0)'::tid", "\(tid) >= '(\(max(0, size - pages)),0)'::tid"]
        return try places.flatMap { place in
            try connection.query(
                """
                SELECT \(time.sql)::text FROM ONLY \(leaf.sql) AS \(bound.relation.alias) \
                WHERE \(place) AND \(time.sql) IS NOT NULL LIMIT \(rows)
                """
            ).rows.compactMap { $0[0] }
        }
    }

    private static let rowsOfPage = 20
}
