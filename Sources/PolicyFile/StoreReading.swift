import Retention

extension StoreDefinition {
    init(name: Name, _ table: TableReader<StoreKey>) throws(PolicyFileError) {
        guard let path = try table.string(.path) else {
            throw table.error("has no path", hint: "name the database file: path = \"reader.sqlite\"")
        }
        guard !path.hasPrefix("file:") else {
            throw table.error(.path, "is a URI", hint: "write the plain path of the database file")
        }
        self.init(
            name: name, path: path, reclaim: try table.bool(.reclaim) ?? Self.defaultReclaim,
            isQuiet: try table.bool(.quiet) ?? false)
        gate = try StoreGate(table)
        skipWhileLocked = try Self.lockFile(table)
    }

    private static func lockFile(_ table: TableReader<StoreKey>) throws(PolicyFileError) -> String? {
        guard let name = try table.string(.skipWhileLocked) else { return nil }
        guard !name.contains("/"), name != ".", name != ".." else {
            throw table.error(
                .skipWhileLocked, "is not the name of a file beside the store",
                hint: "write the name alone, such as \"cache.db.lock\"")
        }
        return name
    }
}

extension StoreGate {
    /// Nil if the store may have any schema.
    init?(_ store: TableReader<StoreKey>) throws(PolicyFileError) {
        let tables = try store.elements(.schema, of: SchemaKey.self)
        let triggers = try store.strings(.triggers)
        let accepted = try store.strings(.acceptColumns)
        guard !tables.isEmpty else {
            let useless = [(StoreKey.triggers, triggers), (.acceptColumns, accepted)].first { $0.1 != nil }
            guard let useless else { return nil }
            throw store.error(
                useless.0, "belongs to a schema", hint: "name a preset, or remove \(useless.0.rawValue)")
        }
        var schemas: [Schema] = []
        for table in tables { schemas.append(try Schema(table)) }
        self.init(
            schemas: schemas, triggers: Set(triggers ?? []), acceptedColumns: Set(accepted ?? []),
            preset: try store.string(.preset).flatMap { Name($0) })
    }
}

extension StoreGate.Schema {
    init(_ table: TableReader<SchemaKey>) throws(PolicyFileError) {
        guard let versions = try table.string(.versions) else {
            throw table.error("has no versions", hint: "say which versions have it: versions = \"2.21\"")
        }
        guard let sql = try table.string(.sql) else {
            throw table.error("has no sql", hint: "write the statements that create its tables")
        }
        self.init(versions: versions, sql: sql)
    }
}
