/// Counts the rows that an index by day has on the days between two.
///
/// SQLite compares each entry that a count passes with the end of its range, which takes three times as long as to pass it.
/// What an OFFSET passes it does not look at. So most are passed in leaps, and only what is left near the end is compared.
struct LeapingCount {
    let table: TableSchema
    let days: PastDays
    /// The length of the first leap, in entries.
    var first: Int64 = 16_384
    /// Leaps that are shorter cost more than they spare.
    var shortest: Int64 = 4_096

    private var name: String { table.name.quotedIdentifier }

    /// Counts. A leap goes nine tenths of the way that is left if its days have as many entries as those just before, and no
    /// farther than the way behind: one that goes too far costs no more than has been spared.
    func take(in db: Database) throws -> Int64 {
        var (passed, counted, leap) = (days.first, Int64(0), first)
        guard days.last > days.first, try leadsOnward(in: db) else { return try rest(after: passed, in: db) }
        while leap >= shortest {
            guard let (day, key) = try landing(after: passed, leap, in: db), day > passed, day < days.last
            else {
                leap /= 2
                continue
            }
            let rows = leap + (try besides(key, on: day, in: db))
            let perDay = Double(rows) / Double(day - passed)
            counted += rows
            passed = day
            leap = max(shortest, Int64(min(Double(counted), perDay * Double(days.last - 1 - day) * 0.9)))
        }
        return counted + (try rest(after: passed, in: db))
    }

    private var leapSQL: String {
        """
        SELECT \(days.entry), \(TableKey.selection(table)) FROM \(name) WHERE \(days.entry) > :passed \
        ORDER BY \(days.entry), \(table.keyOrder) LIMIT 1 OFFSET :leap
        """
    }

    /// Whether the index has the rows of a day in the order of their keys. SQLite would sort all of them, else.
    private func leadsOnward(in db: Database) throws -> Bool {
        let steps = try db.queryPlan(of: leapSQL)
        return steps.count == 1 && steps[0].hasPrefix("SEARCH")
    }

    /// Where a leap that passes so many entries ends: on its last; nil where there are fewer.
    private func landing(after day: Int64, _ leap: Int64, in db: Database) throws -> (
        day: Int64, key: TableKey
    )? {
        let row = try db.row(leapSQL, ["passed": .int64(day), "leap": .int64(leap - 1)])
        return try row.map { ($0[0].integer, try TableKey($0, from: 1, in: db)) }
    }

    /// The entries of `day` behind the one with this key.
    private func besides(_ key: TableKey, on day: Int64, in db: Database) throws -> Int64 {
        try count(
            "\(days.entry) = :day AND \(table.keySQL) > \(key.sql("after"))",
            key.arguments("after").merging(["day": .int64(day)]) { $1 }, in: db)
    }

    private func rest(after day: Int64, in db: Database) throws -> Int64 {
        try count(
            "\(days.entry) > :day AND \(days.entry) < :last",
            ["day": .int64(day), "last": .int64(days.last)], in: db)
    }

    private func count(_ terms: String, _ values: [String: DatabaseValue], in db: Database) throws -> Int64 {
        try db.value("SELECT count(*) FROM \(name) WHERE \(terms)", values).integer
    }
}
