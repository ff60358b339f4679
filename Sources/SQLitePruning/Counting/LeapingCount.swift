import SQLite

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

    /// Counts. A leap goes nine tenths of the way that is left if its days have as many entries as those just before. No
    /// farther than the way behind, nor than an earlier one that went too far has shown to be left: so no more than three
    /// entries are passed for each that is counted, however the rows are spread.
    func take(in db: Database) throws -> Int64 {
        var (passed, counted, leap, most) = (days.first, Int64(0), first, Int64.max)
        guard days.last > days.first, try leadsOnward(in: db) else { return try rest(after: passed, in: db) }
        while leap >= shortest {
            guard let (day, key) = try landing(after: passed, leap, in: db), day < days.last else {
                most = leap - 1
                leap /= 2
                continue
            }
            // Only in a damaged index does an entry stand behind itself.
            guard day > passed else { break }
            let rows = leap + (try besides(key, on: day, in: db))
            let perDay = Double(rows) / Double(day - passed)
            let guess = Int64(min(Double(counted + rows), perDay * Double(days.last - 1 - day) * 0.9))
            (passed, counted, most) = (day, counted + rows, most - rows)
            leap = min(most, max(shortest, guess))
        }
        return counted + (try rest(after: passed, in: db))
    }

    private var leapSQL: String {
        """
        SELECT \(days.entry), \(TableKey.selection(table)) FROM \(name) WHERE \(days.entry) > :passed \
        ORDER BY \(days.entry), \(table.keyOrder) LIMIT 1 OFFSET :leap
        """
    }

    private func besidesSQL(_ key: String) -> String {
        "SELECT count(*) FROM \(name) WHERE \(days.entry) = :day AND \(table.keySQL) > \(key)"
    }

    /// Whether an index has the rows of a day in the order of their keys, and SQLite uses it: it would sort all rows, else,
    /// or read the table for each leap.
    private func leadsOnward(in db: Database) throws -> Bool {
        let key = TableSchema.rowValue(table.key.indices.map { ":after\($0)" })
        let (leap, besides) = (try db.queryPlan(of: leapSQL), try db.queryPlan(of: besidesSQL(key)))
        return leap.count == 1 && leap[0].hasPrefix("SEARCH") && besides.count == 1
            && besides[0].contains("=? AND ")
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
        try db.value(
            besidesSQL(key.sql("after")), key.arguments("after").merging(["day": .int64(day)]) { $1 }
        ).integer
    }

    private func rest(after day: Int64, in db: Database) throws -> Int64 {
        try db.value(
            "SELECT count(*) FROM \(name) WHERE \(days.entry) > :day AND \(days.entry) < :last",
            ["day": .int64(day), "last": .int64(days.last)]
        ).integer
    }
}
