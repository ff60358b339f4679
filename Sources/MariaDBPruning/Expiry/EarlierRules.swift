import Pruning
import Retention
import RuleEngine

/// What a dry run presumes that the rules before one have done: what is read instead of the tables that they change.
struct EarlierRules {
    /// Common table expressions, each of which may read those before it.
    private var queries: [String] = []
    /// What stands in FROM instead of a table.
    private var tables: [TableName: String] = [:]

    /// Rows that a rule takes, by their keys.
    struct Taken {
        let relation: Relation
        let name: String
    }

    /// `WITH ...`; empty if nothing is presumed.
    var with: String { queries.isEmpty ? "" : "WITH " + queries.joined(separator: ", ") + " " }

    func source(of relation: Relation) -> String { tables[relation.tableName] ?? relation.sql }

    /// Presumes that the rule did its work. `rows` ("FROM … WHERE …") are those that go. Returns these, and those that went with
    /// them.
    @discardableResult
    mutating func presume(_ bound: BoundRule, _ rows: String) throws(SchemaMismatch) -> [Taken] {
        let own = Taken(relation: bound.relation, name: name("taken"))
        let keys = bound.key.columns.enumerated().map { "\($1) AS k\($0)" }.joined(separator: ", ")
        queries.append(
            "\(own.name) AS (SELECT \(keys) \(rows))")
        guard bound.mark == nil else {
            try leave(bound.relation, without: own.name, marking: bound.mark)
            return [own]
        }
        var found = [own]
        for path in bound.paths {
            guard let step = path.last else { continue }
            let key = try RowKey(of: step.child)
            // The parents are those of the same path.
            let parents = found.filter { $0.relation == step.parent }
            for parent in parents {
                let parentKey = try RowKey(of: step.parent)
                let taken = name("taken")
                let selected = key.index.columns.enumerated().map { "c.\($1.quotedIdentifier) AS k\($0)" }
                let isTaken = parentKey.index.columns.enumerated().map {
                    "t.k\($0) = p.\($1.quotedIdentifier)"
                }
                queries.append(
                    """
                    \(taken) AS (SELECT DISTINCT \(selected.joined(separator: ", ")) FROM \(source(of: step.child)) AS c \
                    JOIN \(source(of: step.parent)) AS p ON \(step.matches(child: "c", parent: "p")) \
                    JOIN \(parent.name) AS t ON \(isTaken.joined(separator: " AND ")))
                    """)
                found.append(Taken(relation: step.child, name: taken))
            }
        }
        for taken in found { try leave(taken.relation, without: taken.name, marking: nil) }
        return found
    }

    private func name(_ kind: String) -> String { "pruned \(kind) \(queries.count)".quotedIdentifier }

    /// The table as it is when the rows of `taken` are gone, or have the mark.
    private mutating func leave(
        _ relation: Relation, without taken: String, marking mark: Mark?
    ) throws(SchemaMismatch) {
        let (before, after) = (source(of: relation), name("left"))
        let columns = relation.columns.map { column in
            let value = "r.\(column.name.quotedIdentifier)"
            guard let literal = mark?.columns.first(where: { $0.name == column.name })?.literal else {
                return value
            }
            return
                "CASE WHEN t.k0 IS NULL THEN \(value) ELSE \(literal) END AS \(column.name.quotedIdentifier)"
        }
        let isTaken = try RowKey(of: relation).index.columns.enumerated().map {
            "t.k\($0) = r.\($1.quotedIdentifier)"
        }
        queries.append(
            """
            \(after) AS (SELECT \(columns.joined(separator: ", ")) FROM \(before) AS r LEFT JOIN \(taken) AS t \
            ON \(isTaken.joined(separator: " AND "))\(mark == nil ? " WHERE t.k0 IS NULL" : ""))
            """)
        tables[relation.tableName] = after
    }
}
