/// The foreign keys by which rows of a rule's table refer to others of it. A row goes after all rows that refer to it, or
/// with them in one batch, and stays while one of them stays.
///
/// So none of these keys is violated between two batches.
extension ExpiryCondition {
    /// SQL that is true of a row to which no row that stays refers, directly or through rows that would go; in a statement
    /// that has ``heldRows(of:in:)``.
    var notHeld: String? {
        guard !bound.ownKeys.isEmpty else { return nil }
        let row = bound.relation.alias
        return "(\(row).tableoid, \(row).ctid) NOT IN (SELECT part, place FROM \"pruned held\")"
    }

    /// The CTEs of the rows to which rows that stay refer. The table is read once for them in each statement.
    ///
    /// `place` is SQL that is true of the rows of a batch in `leaf`: then all other rows stay.
    func heldRows(of leaf: Relation? = nil, in place: String? = nil) -> [String] {
        guard !bound.ownKeys.isEmpty else { return [] }
        let (row, table) = (bound.relation.alias, source(of: bound.relation))
        let rows = from(leaf) + (place.map { " WHERE \($0)" } ?? "")
        let going = ([place].compactMap(\.self) + termsUnlessHeld).joined(separator: " AND ")
        let pairs = bound.ownKeys.map {
            """
            SELECT child.tableoid, child.ctid, \(row).tableoid, \(row).ctid \(from(leaf)) JOIN \(table) AS child \
            ON \($0.matches(child: "child", parent: row))\(place.map { " WHERE \($0)" } ?? "")
            """
        }
        let isChild = { (name: String) in
            bound.relation.isPlace(name, part: "p.child_part", place: "p.child_place")
        }
        return [
            """
            "pruned going" (part, place) AS MATERIALIZED (\(ownWith(of: rows, holding: false))SELECT \(row).tableoid, \
            \(row).ctid \(from(leaf))\(join) WHERE \(going.isEmpty ? "true" : going))
            """,
            """
            "pruned pairs" (child_part, child_place, part, place) AS MATERIALIZED (\(pairs.joined(separator: " UNION ALL ")))
            """,
            """
            "pruned held" (part, place) AS (SELECT part, place FROM "pruned pairs" AS p WHERE NOT EXISTS (SELECT FROM \
            "pruned going" AS g WHERE \(isChild("g"))) UNION SELECT p.part, p.place FROM \
            "pruned held" AS h JOIN "pruned pairs" AS p ON \(isChild("h")))
            """,
        ]
    }

    /// How many rows would go if no row that stays referred to them; nil without such keys.
    func countHeld(in connection: Connection) throws -> Int64? {
        guard let notHeld else { return nil }
        let from = from()
        let terms = termsUnlessHeld + ["NOT (\(notHeld))"]
        return try connection.query(
            "\(with(of: from))SELECT count(*) \(from)\(join) WHERE \(terms.joined(separator: " AND "))"
        ).integer(0, 0)
    }
}
