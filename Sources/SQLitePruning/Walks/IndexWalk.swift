import SQLite

/// The walk through an index on time, from the first entry that can be expired to the last, or between two other times.
/// It touches no other rows.
///
/// Entries of one value (a second, a day) are in key order. A value with more rows than a slice may have is walked by
/// key.
struct IndexWalk: Walk {
    let condition: ExpiryCondition
    let index: TimeIndex
    /// SQL for the first time.
    var first = ":lowest"
    /// SQL for the last time.
    var last = ":latest"

    private var table: TableSchema { condition.bound.table }
    private var entry: String { index.entry(of: condition.column) }
    private var fromFirst: String { "\(entry) >= \(index.entry(of: first))" }
    private var toLast: String { "\(entry) <= \(index.entry(of: last))" }

    func slice(after position: WalkPosition, rows: Int, in db: Database) throws -> Slice {
        switch position {
        case .amongEntries(let entry, let key): try slice(among: entry, past: key, rows: rows, in: db)
        case .beforeEntry(let entry):
            try slice(where: "\(self.entry) >= :from", from: entry, rows: rows, in: db)
        case .pastEntry(let entry): try slice(where: "\(self.entry) > :from", from: entry, rows: rows, in: db)
        case .start, .top, .pastKey, .upToKey, .end:
            try slice(where: fromFirst, from: .null, rows: rows, in: db)
        }
    }

    /// All entries of one or more values. The slice ends before the value of the first entry that would be one too
    /// many.
    ///
    /// Each end has only one bound. With two bounds, SQLite would search by the first and read everything between the
    /// two.
    private func slice(
        where lower: String, from: DatabaseValue, rows: Int, in db: Database
    ) throws -> Slice {
        guard let excess = try entry(rows, where: [lower, toLast], ["from": from], in: db) else {
            return Slice(terms: [lower, toLast], arguments: ["from": from], end: .end)
        }
        let slice = Slice(
            terms: [lower, "\(entry) < :to"], arguments: ["from": from, "to": excess],
            end: .beforeEntry(excess))
        // SQLite decides which values are equal: 1 and 1.0 are.
        let isEmpty = try entry(0, where: slice.terms, slice.arguments, in: db) == nil
        return isEmpty ? try self.slice(among: excess, past: nil, rows: rows, in: db) : slice
    }

    private func slice(
        among value: DatabaseValue, past key: TableKey?, rows: Int, in db: Database
    ) throws -> Slice {
        let (terms, arguments) = (["\(entry) = :among"], ["among": value])
        let (range, end) = try KeyRange(after: key).prefix(
            rows, of: terms, condition.values(and: arguments), condition.bound.table, in: db)
        return Slice(
            terms: terms + range.terms(table), arguments: arguments.merging(range.arguments) { $1 },
            end: end.map { .amongEntries(value, past: $0) } ?? .pastEntry(value))
    }

    /// The value of the entry after `passed` others; nil if there are fewer.
    private func entry(
        _ passed: Int, where terms: [String], _ arguments: [String: DatabaseValue], in db: Database
    ) throws -> DatabaseValue? {
        var values = arguments
        values["passed"] = .int64(Int64(passed))
        return try db.row(
            """
            SELECT \(entry) FROM \(table.name.quotedIdentifier) WHERE \(terms.joined(separator: " AND ")) \
            ORDER BY \(entry) LIMIT 1 OFFSET :passed
            """, condition.values(and: values)
        )?.first
    }
}
