/// A table that SQLite reads as a whole for each row that is deleted: a foreign key of its may point at that row, and no
/// index tells.
struct ChildScan {
    let key: ForeignKey

    /// The time that SQLite takes for a row of the child, at the least.
    private static let timePerRow = Duration.nanoseconds(50)

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

    /// Whether one scan takes longer than `lockTime`. Counts no further than it has to.
    func takesLonger(than lockTime: Duration, in db: Database) throws -> Bool {
        let most = max(1, Int64(lockTime / Self.timePerRow))
        let count = try db.value(
            "SELECT count(*) FROM (SELECT 1 FROM \(key.child.quotedIdentifier) LIMIT \(most + 1))")
        return count.integer > most
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
        return "its database needs this, once: \(index)" + (condition ?? "")
    }

    private func freeName(in db: Database) throws -> String {
        let name = ([key.child] + key.columns.map(\.child)).joined(separator: "_")
        let taken = Set(try db.rows("SELECT name FROM sqlite_schema").map(\.[0].string.comparedName))
        let names = [name] + (2..<100).map { "\(name)_\($0)" }
        return names.first { !taken.contains($0.comparedName) } ?? name
    }
}
