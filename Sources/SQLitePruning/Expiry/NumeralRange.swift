import SQLite

/// The texts that SQLite may read as a number between two others. Converting a key to a number costs ten times as much
/// as comparing its text, and is not needed for a key outside of this range. Measured with half of 3 million rows
/// expired and newer ones in the keeper: the run takes 1.20 s of CPU time instead of 1.46 s.
///
/// A number can be written in many ways: `1885`, ` +01885.0`, `1.885e3`. Take the texts that begin with a digit from 1
/// to 9 and have as many digits as the two numbers before any other character. In byte order these lie between the
/// digits of the least and of the greatest number. Other texts are covered in this way:
/// - Numbers that begin with another character (a space, a sign, `0`, a point) sort before `1`.
/// - Those with an exponent after fewer digits are the reason why the range extends beyond the greatest number.
/// - Those with a point after fewer digits are searched for separately, because in practice there are none.
struct NumeralRange: Equatable {
    /// The digits of a number just below the least.
    let from: String
    /// Sorts after all texts that begin with the greatest number's first digit and then a digit or an exponent.
    let past: String

    /// Nil unless both numbers are positive and have the same number of digits.
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

    /// SQLite reads a text that is not written as an integer as a double, so a number outside of the range may be
    /// rounded into it. SQLite reads 15 digits exactly; this relies on 14.
    private static func margin(_ number: Int64) -> Int64 { number / 100_000_000_000_000 + 1 }

    /// SQL: the text of `column` is in one of two ranges, which contain all texts except those with a point after too
    /// few digits. BETWEEN reads the column once, and decides alone for most rows. ``from`` itself is not a number in
    /// the range.
    static func holds(_ column: String) -> String {
        "\(column) NOT BETWEEN '1' AND :numeralFrom AND \(column) < :numeralPast"
    }

    /// SQL for the same two ranges in a table ordered by `column`, limited to the part after one key and up to another.
    /// Both keys are SQL, too. Each range is clipped to that part, and is usually empty.
    static func ranges(of column: String, after: String?, upTo: String?) -> [String] {
        [
            [after.map { "\(column) > \($0)" }, "\(column) <= \(upTo.map { "min(\($0), '1')" } ?? "'1'")"],
            [
                "\(column) > \(after.map { "max(\($0), :numeralFrom)" } ?? ":numeralFrom")",
                "\(column) <= \(upTo.map { "min(\($0), :numeralPast)" } ?? ":numeralPast")",
            ],
        ].map { $0.compactMap(\.self).joined(separator: " AND ") }
    }

    /// The named parameters of the SQL.
    var values: [String: DatabaseValue] { ["numeralFrom": .text(from), "numeralPast": .text(past)] }

    /// Whether the `column` of any row has a point after some, but not all, of the digits of ``from``. Costs a search
    /// for each digit.
    func areAnyDotted(_ column: String, of table: TableSchema, in db: Database) throws -> Bool {
        let point = (table.name + " point").quotedIdentifier
        return try db.row(
            """
            WITH RECURSIVE \(point)(digits) AS (VALUES (length(:numeralFrom)) UNION ALL \
            SELECT digits - 1 FROM \(point) WHERE digits > 1) \
            SELECT 1 FROM \(point) CROSS JOIN \(table.itself) \
            WHERE \(point).digits < length(:numeralFrom) \
            AND \(column) >= substr(:numeralFrom, 1, \(point).digits) || '.' \
            AND \(column) < substr(:numeralFrom, 1, \(point).digits) || '/' LIMIT 1
            """, ["numeralFrom": .text(from)]) != nil
    }
}
