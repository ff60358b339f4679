import RuleEngine
import SQLite

/// A table that SQLite scans for each deleted row, or once for each batch: a foreign key of the table, or a column that the
/// rule names, may refer to such a row, and no index serves the search.
struct ChildScan {
    let key: ForeignKey

    /// All scans that the rule's deletions cause, whatever the foreign keys' ON DELETE actions are.
    static func all(of bound: BoundRule, in db: Database) throws -> [ChildScan] {
        let keys = try ForeignKey.all(in: db)
        return try (bound.deletedTables.flatMap(keys.under) + bound.binding.declaredKeys).filter { key in
            do {
                return try !key.isSearched(in: db)
            } catch is DatabaseError {
                return false  // its parent does not exist, which the DELETE will report
            }
        }.map(ChildScan.init)
    }

    /// A scan may be slow once because its pages were on the disk or the processor was busy.
    private static let tries = 3

    /// How long one scan takes, as measured; nil if every try took longer than `limit`.
    ///
    /// An estimate would not do: a row costs from 30 ns to 1 µs, depending on how it is stored and on its other
    /// columns.
    func time(within limit: Duration, _ progress: ProgressHandler, in db: Database) throws -> Duration? {
        let parents = key.columns.map(\.parent.quotedIdentifier).joined(separator: ", ")
        let row = try db.row("SELECT \(parents) FROM \(key.parent.name.quotedIdentifier) LIMIT 1")
        let sample = row ?? key.columns.map { _ in .int64(0) }
        let values = Dictionary(uniqueKeysWithValues: sample.enumerated().map { ("value\($0)", $1) })
        // Without the `+`, an index that does not serve the foreign key might serve this query.
        let terms = key.columns.indices.map { "+\(key.columns[$0].child.quotedIdentifier) = :value\($0)" }
        let scan =
            "SELECT count(*) FROM \(key.child.name.quotedIdentifier) WHERE \(terms.joined(separator: " AND "))"
        for _ in 0..<Self.tries {
            let taken = try progress.time(within: limit) { _ = try db.value(scan, values) }
            if let taken { return taken }
        }
        return nil
    }

    /// What SQLite does, as part of a sentence.
    var cause: String {
        guard !key.isDeclared else {
            return
                "each batch of rows of \(key.parent) reads all of \(key.child), whose column \(key.childColumns[0]) has"
                + " no index"
        }
        return "for each row of \(key.parent), SQLite reads all of \(key.child), whose foreign key"
            + " (\(key.childColumns.joined(separator: ", "))) has no index that serves it"
    }

    /// What a person can do: create an index.
    func hint(in db: Database) throws -> String {
        let columns = try key.columns.map { column in
            (
                name: column.child, try db.declaration(of: column.child, in: key.child.name),
                parent: try db.declaration(of: column.parent, in: key.parent.name)
            )
        }
        // The parent's collation decides which index serves.
        let parts = columns.map { name, own, parent in
            let isOther = own.collation.comparedName != parent.collation.comparedName
            return (column: name, collation: isOther ? parent.collation : nil)
        }
        let other = columns.first { $0.1.type.comparedName != $0.parent.type.comparedName }
        let condition = other.map {
            " and in it \($0.name) of the type that \(key.parent) has, \($0.parent.type)"
        }
        return "create this index once in its database: \(try db.indexStatement(on: key.child.name, parts))"
            + (condition ?? "")
    }
}
