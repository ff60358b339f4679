import RuleEngine
import SQLite

/// Counts the rows of other tables that would be deleted with a task's rows. It reads only such rows.
struct DependentCensus {
    let condition: ExpiryCondition

    /// Foreign keys that lead from the rule's table to another.
    private typealias Path = [ForeignKey]

    /// Nil if a dependent refers to itself, or a table to itself through others. Then only a deletion can tell.
    func count(in db: Database) throws -> Int64? {
        let root = condition.bound.table.name
        guard !condition.task.rule.dependents.isEmpty else { return 0 }
        guard let paths = paths(from: root, behind: [], try keys(in: db)) else { return nil }
        var count: Int64 = 0
        for (table, paths) in Dictionary(grouping: paths, by: { $0.last?.child.name.comparedName ?? [] }) {
            guard !table.isEmpty, let name = paths[0].last?.child.name else { continue }
            count += try self.count(name, along: paths, in: db)
        }
        return count
    }

    /// Whether ``count(in:)`` cannot tell.
    func isCircular(in db: Database) throws -> Bool {
        try paths(from: condition.bound.table.name, behind: [], keys(in: db)) == nil
    }

    private func keys(in db: Database) throws -> [ForeignKey] {
        try ForeignKey.cascading(in: db) + condition.bound.binding.declaredKeys.filter(\.cascades)
    }

    /// All paths that go on from `table`, each with `path` before it; nil if one leads back to a table on the path.
    private func paths(from table: String, behind path: Path, _ keys: [ForeignKey]) -> [Path]? {
        var found: [Path] = []
        for key in keys.under(table) {
            let isOwn = [key.child, key.parent].allSatisfy {
                $0.name.comparedName == condition.bound.table.name.comparedName
            }
            if isOwn { continue }  // its rows go children first
            let isBack = ([condition.bound.table.name] + path.map(\.child.name)).contains {
                $0.comparedName == key.child.name.comparedName
            }
            guard !isBack, let more = paths(from: key.child.name, behind: path + [key], keys) else {
                return nil
            }
            found += [path + [key]] + more
        }
        return found
    }

    /// A row that is reached on two paths is counted once.
    private func count(_ table: String, along paths: [Path], in db: Database) throws -> Int64 {
        let schema = paths.count == 1 ? nil : try TableSchema(table, in: db)
        let key = schema.map { schema in
            zip(schema.key, schema.keyCollations).map {
                "\($0.quotedIdentifier) COLLATE \($1.quotedIdentifier)"
            }
        }
        let all = paths.map { rows(of: $0, key) }.joined(separator: " UNION ")
        return try db.value("SELECT count(*) FROM (\(all))", condition.values()).integer
    }

    /// SQL for the rows at the end of a path. It starts at the expired rows, so that each step uses an index if the app
    /// has one. These are selected apart, because the rule's conditions may name columns that the other tables have, too.
    private func rows(of path: Path, _ key: [String]?) -> String {
        let root = condition.bound.table.name
        let expired = (condition.withinWindow + [condition.expired]).joined(separator: " AND ")
        var (row, table) = (root, root)
        var from = """
            (SELECT \(root.quotedIdentifier).* FROM \(root.quotedIdentifier) WHERE \(expired)) \
            AS \(root.quotedIdentifier)
            """
        for step in path {
            let child = row + " " + step.child.name
            from += " CROSS JOIN \(step.child.name.quotedIdentifier) AS \(child.quotedIdentifier)"
            from += " ON \(step.matches(child: child, parent: row))"
            (row, table) = (child, step.child.name)
        }
        let terms = condition.notGone(row, of: table).orTrue
        let columns = key?.map { row.quotedIdentifier + "." + $0 }.joined(separator: ", ")
        return "SELECT \(columns ?? "1") FROM \(from) WHERE \(terms.joined(separator: " AND "))"
    }
}
