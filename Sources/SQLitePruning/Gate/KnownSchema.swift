import CSQLite
import Retention
import SQLite

/// A schema that a gate knows, as facts.
struct KnownSchema {
    /// The versions of the app that have it.
    let versions: String
    let facts: SchemaFacts

    /// Creates the schema in a database in memory. Throws a ``SchemaMismatch`` if its statements fail.
    init(_ schema: StoreGate.Schema) throws {
        versions = schema.versions
        let db = try Database(uri: ":memory:", isReadOnly: false, busyTimeout: 0)
        defer { db.close() }
        Self.keepFromFiles(db)
        for statement in Self.statements(of: schema.text) where !Self.isOwn(statement) {
            guard sqlite3_exec(db.handle, statement, nil, nil, nil) == SQLITE_OK else {
                throw SchemaMismatch(
                    "the gate's schema of \(schema.versions) cannot be created:"
                        + " \(String(cString: sqlite3_errmsg(db.handle)))",
                    hint: "correct the sql of that [[schema]]")
            }
        }
        facts = try SchemaFacts(in: db)
    }

    /// A statement ends at a semicolon, but not at each: a trigger has some of its own.
    private static func statements(of text: String) -> [String] {
        var (statements, begun) = ([String](), "")
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        for part in parts.dropLast() {
            begun += part + ";"
            guard sqlite3_complete(begun) != 0 else { continue }
            statements.append(begun)
            begun = ""
        }
        return statements + [begun + (parts.last ?? "")]
    }

    /// Whether it makes a table that SQLite makes by itself, such as sqlite_sequence. `.schema` prints these, too.
    private static func isOwn(_ statement: String) -> Bool {
        let words = SQLToken.comparable(statement)
        return words.prefix(2) == ["create", "table"]
            && words.dropFirst(2).first { !["if", "not", "exists"].contains($0) }?.hasPrefix("sqlite_")
                ?? false
    }

    private static func keepFromFiles(_ db: Database) {
        sqlite3_limit(db.handle, SQLITE_LIMIT_ATTACHED, 0)
        sqlite3_set_authorizer(
            db.handle, { _, action, _, _, _, _ in action == SQLITE_ATTACH ? SQLITE_DENY : SQLITE_OK }, nil)
    }
}

extension KnownSchema {
    /// Throws a ``SchemaMismatch`` if `rule` reads, writes or reaches a table that is not in this schema, about which
    /// nothing was compared.
    func cover(_ reach: DeleteReach, of rule: BoundRule, in db: Database) throws {
        let known = Set(facts.tables.keys.map { Array($0.utf8) })
        let tombstones = [rule.tombstones?.table.name].compactMap(\.self)
        let changed = Set((rule.tables + tombstones + reach.writes.map(\.table)).map(\.comparedName))
        let read = Set(
            (rule.keepers.map(\.table.name) + rule.allConditions.flatMap(\.tables).map(\.name)).map(
                \.comparedName)
        )
        .union(reach.codeReads)
        let keys = try ForeignKey.all(in: db)
        let parents = keys.filter { changed.contains($0.child.comparedName) }.map(\.parent.comparedName)
        let children = keys.filter { changed.contains($0.parent.comparedName) }.map(\.child.comparedName)
        // SQLite also reads the rows to which a deleted row refers. They decide nothing.
        let idle = Set(parents).subtracting(children).subtracting(changed).subtracting(read)
        let reached = reach.reads.union(changed).union(read).subtracting(idle)
        let stranger = reached.subtracting(known).map { String(decoding: $0, as: UTF8.self) }
            .filter { !$0.hasPrefix("sqlite_") }.min()
        guard let stranger else { return }
        throw SchemaMismatch(
            "the rule reaches table \(stranger), which the gate's schema of \(versions) does not have",
            hint: "a foreign key or a trigger leads there: a newer preset may know it")
    }
}
