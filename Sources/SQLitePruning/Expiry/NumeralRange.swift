import SQLite

/// The texts that SQLite may take for a number between two: a row whose key is not among them need not be converted to a
/// number, which costs ten times as much as to compare it. Where half of 3 million rows are deleted whose keeper has newer
/// ones, the run takes 1.20 s of CPU time instead of 1.46 s.
///
/// A number may be written in many ways: `1885`, ` +01885.0`, `1.885e3`. In the order of their bytes, all that begin with a
/// digit from 1 to 9, and have as many digits as the number before anything else, lie between the digits of the least
/// number and those of the greatest. Not there are those that begin otherwise, which are less than `1`; those with an
/// exponent after fewer digits, for whose sake the range goes on after the greatest; and those with a point after fewer
/// digits, which are looked for by themselves, for there never are any.
struct NumeralRange: Equatable {
    /// The digits of a number just below the least.
    let from: String
    /// Greater than all that begin with the greatest number's first digit and a digit or an exponent.
    let past: String

    /// Nil where the numbers are not all positive and of the same length.
    init?(_ lowest: Int64, _ highest: Int64) {
        guard lowest > 0, lowest <= highest else { return nil }
        let least = lowest - Self.margin(lowest)
        let (greatest, overflow) = highest.addingReportingOverflow(Self.margin(highest))
        guard least > 0, !overflow else { return nil }
        let (from, to) = (String(least), String(greatest))
        guard from.count == to.count else { return nil }
        self.from = from
        past = to.prefix(1) + "f"
    }

    /// What is not written as an integer is read as a double, and so a number beyond the two may become one between them.
    /// SQLite reads 15 digits exactly; one of them is left for certainty.
    private static func margin(_ number: Int64) -> Int64 { number / 100_000_000_000_000 + 1 }

    /// SQL: the text of `column` is in one of two ranges, which hold all but those with a point after too few digits.
    /// BETWEEN reads the column once, and for most rows no more is asked; ``from`` itself is no number between the two.
    static func holds(_ column: String) -> String {
        "\(column) NOT BETWEEN '1' AND :numeralFrom AND \(column) < :numeralPast"
    }

    /// SQL for the same in a table that is in the order of `column`, of the part after one key and up to another, which are
    /// SQL, too: each begins and ends where the other does, and is mostly nothing.
    static func ranges(of column: String, after: String?, upTo: String?) -> [String] {
        [
            [after.map { "\(column) > \($0)" }, "\(column) <= \(upTo.map { "min(\($0), '1')" } ?? "'1'")"],
            [
                "\(column) > \(after.map { "max(\($0), :numeralFrom)" } ?? ":numeralFrom")",
                "\(column) <= \(upTo.map { "min(\($0), :numeralPast)" } ?? ":numeralPast")",
            ],
        ].map { $0.compactMap(\.self).joined(separator: " AND ") }
    }

    /// What stands in the SQL by name.
    var values: [String: DatabaseValue] { ["numeralFrom": .text(from), "numeralPast": .text(past)] }

    /// Whether the `column` of any row has a point after some of the first digits of ``from``, and no more. Costs a search
    /// for each digit.
    func areAnyDotted(_ column: String, of table: TableSchema, in db: Database) throws -> Bool {
        let point = (table.name + " point").quotedIdentifier
        return try db.row(
            """
            WITH RECURSIVE \(point)(digits) AS (VALUES (length(:numeralFrom)) UNION ALL \
            SELECT digits - 1 FROM \(point) WHERE digits > 1) \
            SELECT 1 FROM \(point) CROSS JOIN \(table.name.quotedIdentifier) NOT INDEXED \
            WHERE \(point).digits < length(:numeralFrom) \
            AND \(column) >= substr(:numeralFrom, 1, \(point).digits) || '.' \
            AND \(column) < substr(:numeralFrom, 1, \(point).digits) || '/' LIMIT 1
            """, ["numeralFrom": .text(from)]) != nil
    }
}
