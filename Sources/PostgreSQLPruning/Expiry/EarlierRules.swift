import Pruning
import Retention
import RuleEngine

/// What a dry run presumes that the rules before a task have done, as tables that statements read instead of the
/// database's own.
///
/// What a rule takes is found once in a statement. The tables as it leaves them are found by that, and never copied.
struct EarlierRules {
    /// The CTEs of the tables, in their order.
    private(set) var queries: [String] = []
    /// The names of the tables as the rules leave them, as SQL.
    private var tables: [UInt32: String] = [:]

    /// Rules of one table that look at nothing but the row at hand, as one: what they take one after another any of them
    /// takes. By themselves, the tables as each of 80 rules leaves them would be read 3,000 times.
    private struct Alike {
        let relation: Relation
        /// What the rules before them have done.
        let before: (queries: [String], tables: [UInt32: String])
        var expired: [String]
    }

    private var alike: Alike?

    /// SQL of what to read instead of `relation`.
    func source(of relation: Relation) -> String { tables[relation.oid] ?? relation.sql }

    /// Rows that a rule takes.
    struct Taken {
        let relation: Relation
        /// The name of the CTE of their places, as SQL.
        let name: String
    }

    /// Adds a rule.
    mutating func presume(_ condition: ExpiryCondition, in connection: Connection) throws {
        guard condition.looksAtRowAlone else {
            try add(condition, in: connection)
            return
        }
        var rules =
            alike.flatMap { $0.relation.oid == condition.bound.relation.oid ? $0 : nil }
            ?? Alike(relation: condition.bound.relation, before: (queries, tables), expired: [])
        rules.expired.append("(\(condition.expired))")
        (queries, tables, alike) = (rules.before.queries, rules.before.tables, rules)
        let (relation, taken) = (rules.relation, name("taken"))
        queries.append(
            """
            \(taken) AS MATERIALIZED (SELECT \(place(relation.alias)) FROM \(source(of: relation)) AS \(relation.alias) \
            WHERE \(rules.expired.joined(separator: " OR ")))
            """)
        leave(relation, without: taken, marking: nil)
    }

    /// Adds a rule that takes the rows of `condition`, which knows the rules before it. Returns the rows that it deletes: its
    /// own, and those that go with them.
    @discardableResult
    mutating func add(_ condition: ExpiryCondition, in connection: Connection) throws -> [Taken] {
        alike = nil
        let bound = condition.bound
        let from = condition.from()
        let taken = name("taken")
        queries.append(
            """
            \(taken) AS MATERIALIZED (\(condition.ownWith(of: from))SELECT \(place(bound.relation.alias)) \
            \(from)\(condition.join) WHERE \(condition.expired))
            """)
        if let mark = bound.mark {
            leave(bound.relation, without: taken, marking: mark)
            return []
        }
        let own = Taken(relation: bound.relation, name: taken)
        let found = try [own] + takenAlong(bound, own, in: connection)
        for taken in found { leave(taken.relation, without: taken.name, marking: nil) }
        return found
    }

    private func name(_ kind: String) -> String { "pruned \(kind) \(queries.count)".quotedIdentifier }

    private func place(_ row: String) -> String { "\(row).tableoid AS part, \(row).ctid AS place" }

    /// The rows that go with those of `taken` by foreign keys, as far as the role may look at them.
    private mutating func takenAlong(
        _ bound: BoundRule, _ own: Taken, in connection: Connection
    ) throws -> [Taken] {
        var parents = [bound.relation.oid: [own]]
        var found: [Taken] = []
        for key in bound.cascades where key.cascades {
            let child = try connection.relation(key.child)
            guard try connection.hasPrivilege("SELECT", on: child) else { continue }
            let match = zip(key.childColumns, key.parentColumns).map {
                "child.\($0.quotedIdentifier) = parent.\($1.quotedIdentifier)"
            }.joined(separator: " AND ")
            for parent in parents[key.parent] ?? [] {
                let along = name("taken")
                queries.append(
                    """
                    \(along) AS MATERIALIZED (SELECT DISTINCT \(place("child")) FROM \(source(of: child)) AS child \
                    JOIN \(source(of: parent.relation)) AS parent ON \(match) JOIN \(parent.name) AS t \
                    ON \(parent.relation.isPlace("t", of: "parent")))
                    """)
                found.append(Taken(relation: child, name: along))
                parents[child.oid, default: []] += found.suffix(1)
            }
        }
        return found
    }

    /// The table as it is when the rows of `taken` are gone, or have the mark.
    private mutating func leave(_ relation: Relation, without taken: String, marking mark: Mark?) {
        let (before, after) = (source(of: relation), name("left"))
        let isTaken = "SELECT FROM \(taken) AS t WHERE \(relation.isPlace("t", of: "r"))"
        let rows: String
        if let mark {
            let columns = relation.columns.map { column in
                let (name, value) = (column.name.quotedIdentifier, "r.\(column.name.quotedIdentifier)")
                guard let literal = mark.columns.first(where: { $0.name == column.name })?.literal else {
                    return value
                }
                return "CASE WHEN EXISTS (\(isTaken)) THEN \(literal) ELSE \(value) END AS \(name)"
            }
            rows = "SELECT \((["r.tableoid, r.ctid"] + columns).joined(separator: ", ")) FROM \(before) AS r"
        } else {
            let columns = (["tableoid", "ctid"] + relation.columns.map(\.name.quotedIdentifier)).map {
                "r." + $0
            }
            rows =
                "SELECT \(columns.joined(separator: ", ")) FROM \(before) AS r WHERE NOT EXISTS (\(isTaken))"
        }
        queries.append("\(after) AS NOT MATERIALIZED (\(rows))")
        tables[relation.oid] = after
    }
}

extension Relation {
    /// SQL that is true if `place`, a row with `part` and `place`, is the place of `row`.
    ///
    /// Only tables in parts have two rows at one place. For others a second comparison would say nothing, and have the
    /// planner expect a two-hundredth of the rows: it then compares each row with each.
    func isPlace(_ place: String, of row: String) -> String {
        isPlace(place, part: "\(row).tableoid", place: "\(row).ctid")
    }

    func isPlace(_ name: String, part: String, place: String) -> String {
        (hasParts ? "\(name).part = \(part) AND " : "") + "\(name).place = \(place)"
    }

    private var hasParts: Bool { kind == .partitioned || hasChildren }
}
