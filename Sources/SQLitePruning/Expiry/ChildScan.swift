import SQLite

/// A table that SQLite reads as a whole for each row that is deleted: a foreign key of its may point at that row, and no
/// index tells.
struct ChildScan {
    let key: ForeignKey

    /// All that a deletion from `tables` makes, whatever the foreign keys say is to be done.
    static func all(deletingFrom tables: [String], in db: Database) throws -> [ChildScan] {
        let keys = try ForeignKey.all(in: db)
        return try tables.flatMap(keys.under).filter { key in
            do {
                return try !key.isSearched(in: db)
            } catch is DatabaseError {
                return false  // it points at nothing that there is, as the DELETE will say
            }
        }.map(ChildScan.init)
    }

    /// So often is it tried: what was slow once may have found its pages on the disk, or the processor busy.
    private static let tries = 3

    /// How long one scan takes at the least, as measured; nil where that is longer than `limit`.
    ///
    /// No estimate would do: a row costs from 30 ns to a microsecond, by how it is stored and by how much else it has.
    func time(within limit: Duration, _ progress: ProgressHandler, in db: Database) throws -> Duration? {
        let parents = key.columns.map(\.parent.quotedIdentifier).joined(separator: ", ")
        let row = try db.row("SELECT \(parents) FROM \(key.parent.quotedIdentifier) LIMIT 1")
        let sample = row ?? key.columns.map { _ in .int64(0) }
        let values = Dictionary(uniqueKeysWithValues: sample.enumerated().map { ("value\($0)", $1) })
        // Else an index may serve it that does not serve the foreign key.
        let terms = key.columns.indices.map { "+\(key.columns[$0].child.quotedIdentifier) = :value\($0)" }
        let scan =
            "SELECT count(*) FROM \(key.child.quotedIdentifier) WHERE \(terms.joined(separator: " AND "))"
        for _ in 0..<Self.tries {
            let taken = try progress.time(within: limit) { _ = try db.value(scan, values) }
            if let taken { return taken }
        }
        return nil
    }

    /// What SQLite does, as part of a sentence.
    var cause: String {
        "for each row of \(key.parent), SQLite reads all of \(key.child), whose foreign key"
            + " (\(key.columns.map(\.child).joined(separator: ", "))) has no index that serves it"
    }

    /// What a person can do, with an index under a name that is not taken.
    func hint(in db: Database) throws -> String {
        let columns = try key.columns.map { column in
            (
                name: column.child, try db.declaration(of: column.child, in: key.child),
                parent: try db.declaration(of: column.parent, in: key.parent)
            )
        }
        // It is the parent's collation that counts.
        let parts = columns.map { name, own, parent in
            let isOther = own.collation.comparedName != parent.collation.comparedName
            return name.quotedIdentifier + (isOther ? " COLLATE " + parent.collation.quotedIdentifier : "")
        }
        let index =
            "CREATE INDEX \(try freeName(in: db).quotedIdentifier) ON"
            + " \(key.child.quotedIdentifier) (\(parts.joined(separator: ", ")));"
        let other = columns.first { $0.1.type.comparedName != $0.parent.type.comparedName }
        let condition = other.map {
            " and in it \($0.name) of the type that \(key.parent) has, \($0.parent.type)"
        }
        return "create this index once in its database: \(index)" + (condition ?? "")
    }

    private func freeName(in db: Database) throws -> String {
        let name = ([key.child] + key.columns.map(\.child)).joined(separator: "_")
        let taken = Set(try db.rows("SELECT name FROM sqlite_schema").map(\.[0].string.comparedName))
        let names = [name] + (2..<100).map { "\(name)_\($0)" }
        return names.first { !taken.contains($0.comparedName) } ?? name
    }
}
