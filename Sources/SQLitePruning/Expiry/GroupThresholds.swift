import Retention
import RuleEngine
import SQLite

/// Reads the rule's table in slices: passes SQL terms that are true of the rows of each slice, and their parameters.
typealias SlicedReading = (
    _ read: (_ terms: [String], _ arguments: [String: DatabaseValue]) throws -> Void
) throws -> Void

/// The newest rows of each group, for `keep_last_per`: of each group the time of the last row that stays because of it.
///
/// The times are in a temporary table of the connection. Groups compare as the columns do, and NULL is a group. A group
/// that is not in the table is younger than the search, so its rows stay. A time that was found stays right while the app
/// only inserts newer rows: more rows stay than would have to. When the app deletes rows or changes their times, the
/// table must be looked at again.
struct GroupThresholds {
    private let table: TableSchema
    private let time: TimeColumn
    private let groups: [TableSchema.Column]
    private let count: Int64
    private let mark: Mark?
    /// SQL terms that are true of a row of the table that counts.
    private let counted: [String]
    /// An index on the groups and the time; nil if there is none.
    let index: String?
    private let name: String

    /// Nil if the rule has no groups.
    init?(of condition: ExpiryCondition, in db: Database) throws {
        let (bound, rule) = (condition.bound, condition.task.rule)
        guard let count = rule.keepLast, let time = bound.time, !bound.groups.isEmpty else { return nil }
        table = bound.table
        groups = bound.groups
        (self.time, self.count, mark) = (time, count, bound.mark)
        counted =
            ["\(condition.column) BETWEEN :lowest AND :present", condition.isNumber] + condition.notGone
        index = try Self.index(for: bound, in: db)
        name = "pruned newest of \(rule.name.unfolded)"
    }

    /// Whether an index finds the newest rows of a group.
    var isIndexed: Bool { index != nil }

    /// The first index that begins with the groups, with their collations, and then has the time.
    static func index(for bound: BoundRule, in db: Database) throws -> String? {
        let (table, groups) = (bound.table, bound.groups)
        guard !groups.isEmpty, let time = bound.time, time.format.unit.storage != .text else { return nil }
        let indexes = try db.rows(
            "SELECT name FROM pragma_index_list(:table) WHERE NOT partial ORDER BY seq",
            ["table": .text(table.name)])
        return try indexes.map(\.[0].string).first { index in
            let parts = try db.rows(
                "SELECT name, coll FROM pragma_index_xinfo(:index) WHERE key ORDER BY seqno",
                ["index": .text(index)])
            guard parts.count > groups.count else { return false }
            let own = Set(groups.map { [$0.name.comparedName, $0.collation.comparedName] })
            let first = Set(
                parts.prefix(groups.count).map { [$0[0].string.comparedName, $0[1].string.comparedName] })
            return own == first && parts[groups.count][0].string.comparedName == time.name.comparedName
        }
    }

    /// Finds the times. `values` are the parameters of the condition. With `reading` the table is read in slices, for a
    /// store whose app could not commit meanwhile.
    func find(_ values: [String: DatabaseValue], reading: SlicedReading? = nil, in db: Database) throws {
        let table = try newTable(name, in: db)
        try db.execute(
            "CREATE INDEX IF NOT EXISTS temp.\((name + " index").quotedIdentifier) ON \(name.quotedIdentifier) (\(names), last)"
        )
        guard let reading else {
            return try db.execute("INSERT INTO \(table) " + (index == nil ? byOrder : bySearch), values)
        }
        let rows = try newTable(name + " rows", in: db)
        try reading { terms, arguments in
            let place = (terms + counted).joined(separator: " AND ")
            try db.execute(
                "INSERT INTO \(rows) SELECT \(list), \(time.sql(of: self.table.name)) \(source) WHERE \(place)",
                values.merging(arguments) { $1 })
        }
        let keys = groups.indices.map { "g\($0)" }
        try db.execute("INSERT INTO \(table) " + numbered(keys, "last", "FROM \(rows)"))
        try db.execute("DELETE FROM \(rows)")
    }

    /// Makes an empty table of groups and times, and returns its name as SQL.
    private func newTable(_ name: String, in db: Database) throws -> String {
        let table = "temp.\(name.quotedIdentifier)"
        let columns = groups.enumerated().map { "g\($0) COLLATE \($1.collation.quotedIdentifier)" }
        try db.execute(
            "CREATE TEMP TABLE IF NOT EXISTS \(name.quotedIdentifier) (\((columns + ["last"]).joined(separator: ", ")))"
        )
        try db.execute("DELETE FROM \(table)")
        return table
    }

    private var names: String { groups.indices.map { "g\($0)" }.joined(separator: ", ") }
    private var list: String { groupColumns.joined(separator: ", ") }
    private var source: String { "FROM \(table.itself)" }
    private var groupColumns: [String] { groups.map { table.column($0.name) } }
    private var place: String { counted.joined(separator: " AND ") }

    /// Sorts all rows by their groups and times.
    private var byOrder: String {
        numbered(groupColumns, time.sql(of: table.name), "\(source) WHERE \(place)")
    }

    /// Of each group of `rows` ("FROM ...") the time of the last row that stays. A group with fewer rows than stay is not
    /// found, and its rows stay.
    private func numbered(_ groups: [String], _ column: String, _ rows: String) -> String {
        let list = groups.joined(separator: ", ")
        let named = groups.enumerated().map { "\($1) AS g\($0)" }.joined(separator: ", ")
        return """
            SELECT \(names), last FROM (SELECT \(named), \(column) AS last, \
            row_number() OVER (PARTITION BY \(list) ORDER BY \(column) DESC) AS number \
            \(rows)) WHERE number = \(count)
            """
    }

    /// Searches the index once for each group.
    private var bySearch: String {
        let names = groups.indices.map { "g\($0)" }
        let list = zip(groupColumns, names).map { "\($0) AS \($1)" }.joined(separator: ", ")
        let terms = zip(groupColumns, names).map { "\($0) IS each.\($1)" } + counted
        let last = """
            (SELECT \(time.sql(of: table.name)) FROM \(table.name.quotedIdentifier) \(table.looking(into: index)) \
            WHERE \(terms.joined(separator: " AND ")) \
            ORDER BY \(time.sql(of: table.name)) DESC LIMIT 1 OFFSET \(count - 1))
            """
        return """
            SELECT \(names.joined(separator: ", ")), last FROM (SELECT \(names.map { "each.\($0)" }.joined(separator: ", ")), \
            \(last) AS last FROM (SELECT DISTINCT \(list) FROM \(table.name.quotedIdentifier) \(table.looking(into: index))) AS each) \
            WHERE last IS NOT NULL
            """
    }

    /// Whether the entries of the index by which the times were found are rows of the table, with these groups and times. A
    /// row without an entry only makes more rows stay. Costs a search for each of these entries.
    func areRows(_ values: [String: DatabaseValue], in db: Database) throws -> Bool {
        guard index != nil else { return true }
        let (own, entry) = (table.name, table.name + " entry")
        let (keys, times) = (table.key.indices.map { "k\($0)" }, time.sql(of: own))
        let names = groups.indices.map { "g\($0)" }
        let selected =
            zip(table.keyParts, keys).map { "\($0) AS \($1)" }
            + zip(groupColumns, names).map { "\($0) AS \($1)" } + ["\(times) AS time"]
        let found =
            zip(groupColumns, names).map { "\($0) IS newest.\($1)" } + ["\(times) >= newest.last"] + counted
        let entries = """
            SELECT \(selected.joined(separator: ", ")) FROM temp.\(name.quotedIdentifier) AS newest \
            CROSS JOIN \(own.quotedIdentifier) \(table.looking(into: index)) WHERE \(found.joined(separator: " AND "))
            """
        let isSame =
            zip(table.keyParts, keys).map { "\($0) = \(entry.quotedIdentifier).\($1)" }
            + zip(groupColumns, names).map { "+\($0) IS \(entry.quotedIdentifier).\($1)" }
            + ["+\(times) IS \(entry.quotedIdentifier).time"]
        return try db.value(
            """
            SELECT (SELECT count(*) FROM (\(entries))) = (SELECT count(*) FROM (SELECT DISTINCT \(table.keyOrder) \
            FROM (\(entries) LIMIT -1) AS \(entry.quotedIdentifier) CROSS JOIN \(table.itself) \
            WHERE \((isSame + counted).joined(separator: " AND "))))
            """, values
        ).integer == 1
    }

    /// SQL that is true of the row `row` if it is older than the last row of its group that stays.
    func isOlder(_ row: String) -> String { "\(time.sql(of: row)) < (\(last(of: row)))" }

    /// SQL that is true of a row of the rule's table, under its own name, if its group still has as many rows as stay that are
    /// not older than the last of them: newer rows only make more stay. Nil without an index.
    var standsNow: String? {
        guard index != nil else { return nil }
        let row = table.name + " newer"
        let terms = groups.map {
            "\(row.quotedIdentifier).\($0.name.quotedIdentifier) IS \(table.column($0.name))"
        }
        let counted =
            ["\(time.sql(of: row)) BETWEEN :lowest AND :present", time.isNumber(row)]
            + (mark.map { ["NOT (\($0.isSet(row)))"] } ?? [])
        return """
            (\(last(of: table.name))) <= (SELECT \(time.sql(of: row)) FROM \(table.name.quotedIdentifier) AS \(row.quotedIdentifier) \
            \(table.looking(into: index)) WHERE \((terms + counted).joined(separator: " AND ")) \
            ORDER BY \(time.sql(of: row)) DESC LIMIT 1 OFFSET \(count - 1))
            """
    }

    /// SQL for the time of the last row that stays in the group of the row `row`; NULL if all stay.
    private func last(of row: String) -> String {
        let terms = groups.enumerated().map {
            "g\($0) IS +\(row.quotedIdentifier).\($1.name.quotedIdentifier)"
        }
        return "SELECT last FROM temp.\(name.quotedIdentifier) WHERE \(terms.joined(separator: " AND "))"
    }
}
