import Retention

extension StoreDefinition {
    init(name: Name, _ table: TableReader<StoreKey>) throws(PolicyFileError) {
        self.init(
            name: name, kind: try Kind(table), reclaim: try table.bool(.reclaim),
            isQuiet: try table.bool(.quiet) ?? false)
        family = try StoreFamily(table)
        gate = try StoreGate(table)
        skipWhileLocked = try lockFile(table)
        maxLag = try lag(table) ?? maxLag
        maxSlotLog = try slotLog(table)
        maxRowsPerSecond = try rate(table)
    }

    private func lockFile(_ table: TableReader<StoreKey>) throws(PolicyFileError) -> String? {
        guard let name = try table.string(.skipWhileLocked) else { return nil }
        guard format == .sqlite else {
            throw table.error(
                .skipWhileLocked, beside: .url, "belongs to a store with path",
                hint: "nothing lies beside the database of a server; remove it")
        }
        guard !name.contains("/"), name != ".", name != ".." else {
            throw table.error(
                .skipWhileLocked, "is not the name of a file beside the store",
                hint: "write the name alone, such as \"cache.db.lock\"")
        }
        return name
    }

    private func lag(_ table: TableReader<StoreKey>) throws(PolicyFileError) -> Span? {
        guard let lag = try table.span(.maxLag, usualUnit: .second) else { return nil }
        try requireServer(for: .maxLag, table)
        return lag
    }

    private func slotLog(_ table: TableReader<StoreKey>) throws(PolicyFileError) -> ByteCount? {
        guard let size = try table.size(.maxSlotLog) else { return nil }
        try requireServer(for: .maxSlotLog, table)
        return size
    }

    private func requireServer(
        for key: StoreKey, _ table: TableReader<StoreKey>
    ) throws(PolicyFileError) {
        guard format == .postgresql else {
            throw table.error(
                key, beside: format == .sqlite ? .path : .url, "belongs to a PostgreSQL store",
                hint: "nothing is known of the replicas of another; remove it")
        }
    }

    private func rate(_ table: TableReader<StoreKey>) throws(PolicyFileError) -> Int? {
        guard let number = try table.integer(.maxRowsPerSecond) else { return nil }
        guard let rate = Int(exactly: number), (1...1_000_000_000).contains(rate) else {
            throw table.error(
                .maxRowsPerSecond, "must be between 1 and 1000000000",
                hint: "so many rows go in a second at most")
        }
        return rate
    }
}

extension StoreDefinition.Kind {
    /// The place in `path` or in `url`: a store has one of the two.
    fileprivate init(_ table: TableReader<StoreKey>) throws(PolicyFileError) {
        if let paths = try table.string(.paths) {
            let others = [StoreKey.path, .url].filter { table.value($0) != nil }
            if let other = others.first {
                throw table.error(
                    .paths, beside: other, "cannot be combined with \(other.rawValue)",
                    hint: "paths stands for a store for each file that matches; remove one of the two")
            }
            self = .sqlite(path: paths)
            return
        }
        switch (try table.string(.path), try table.string(.url)) {
        case (.some(let path), nil):
            guard !ConnectionString.isURI(path) else {
                throw table.error(.path, "is a connection string", hint: "write url instead of path")
            }
            guard !path.hasPrefix("file:") else {
                throw table.error(.path, "is a URI", hint: "write the plain path of the database file")
            }
            guard !path.contains("*") else {
                throw table.error(
                    .path, "has a *",
                    hint: "write paths instead of path, for a store for each file that matches")
            }
            self = .sqlite(path: path)
        case (nil, .some(let text)):
            do throws(ConnectionStringError) {
                self = .server(try ConnectionString(text))
            } catch {
                throw table.error(.url, error.reason, hint: error.hint)
            }
        case (.some, .some):
            throw table.error(
                .url, beside: .path, "cannot be combined with path",
                hint: "a store is a database file or the database of a server; remove one of the two")
        case (nil, nil):
            throw table.error(
                "has no path and no url",
                hint: "name the database file: path = \"reader.sqlite\"; or the database of a"
                    + " server: url = \"postgresql:///miniflux\" or \"mariadb:///freshrss\"")
        }
    }
}

extension StoreFamily {
    /// Nil if the table is one store.
    init?(_ table: TableReader<StoreKey>) throws(PolicyFileError) {
        guard let text = try table.string(.paths) else {
            var named = try StoreFamily(.prefixes, table) { .prefixes($0) }
            if let schemas = try StoreFamily(.schemas, table, { .schemas($0) }) { named = schemas }
            guard let named else { return nil }
            self = named
            return
        }
        let example = "/var/www/FreshRSS/data/users/*/db.sqlite"
        guard let pattern = FamilyPattern(text) else {
            throw table.error(
                .paths, "must have one *",
                hint:
                    "it stands for what tells the stores apart, in one name of the path: paths = \"\(example)\""
            )
        }
        guard !text.contains(where: { "?[]{}".contains($0) }), !text.hasPrefix("file:"), !text.hasSuffix("/")
        else {
            throw table.error(
                .paths, "is no path with a *", hint: "* is the only wildcard: paths = \"\(example)\"")
        }
        self = .paths(pattern)
    }

    /// What `key` tells apart in the database of a server.
    private init?(
        _ key: StoreKey, _ table: TableReader<StoreKey>, _ family: (FamilyPattern) -> StoreFamily
    ) throws(PolicyFileError) {
        guard let text = try table.string(key) else { return nil }
        for other in [StoreKey.prefix, .prefixes, .schemas] where other != key && table.value(other) != nil {
            throw table.error(
                key, beside: other, "cannot be combined with \(other.rawValue)", hint: "remove one of the two"
            )
        }
        guard let url = try table.string(.url) else {
            throw table.error(
                key, "belongs to a store with url",
                hint: "for a store for each file that matches, write paths")
        }
        guard key != .schemas || StoreFormat(ofURL: url) == .postgresql else {
            throw table.error(
                key, "belongs to a PostgreSQL store",
                hint: "a schema of MariaDB is a database: write a store with a url for each")
        }
        guard let pattern = FamilyPattern(text) else {
            throw table.error(
                key, "must have one *",
                hint: "it stands for what tells the stores apart: "
                    + (key == .schemas ? "schemas = \"tenant_*\"" : "prefixes = \"freshrss_*_\""))
        }
        self = family(pattern)
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
                useless.0, "belongs to a schema",
                hint: "name a preset, write a [[store.NAME.schema]], or remove \(useless.0.rawValue)")
        }
        var known: [Known] = []
        for table in tables { known.append(try Known(table)) }
        self.init(
            known, triggers: Set(triggers ?? []), acceptedColumns: Set(accepted ?? []),
            preset: try store.string(.preset).flatMap { Name($0) })
    }
}

extension StoreGate.Known {
    /// Reads a schema, with `prefix` for each `{prefix}` in its text.
    init(
        _ table: TableReader<SchemaKey>, prefix: TablePrefix? = nil
    ) throws(PolicyFileError) {
        guard let versions = try table.string(.versions) else {
            throw table.error("has no versions", hint: "say which versions have it: versions = \"2.21\"")
        }
        guard let text = try table.string(.tables) else {
            throw table.error("has no tables", hint: "write what `pruned check --schema STORE` prints")
        }
        let replaced = prefix?.replaced(in: .string(text), of: SchemaKey.tables.rawValue).string ?? text
        do throws(SchemaTextError) {
            self.init(versions: versions, try StoreSchema(replaced))
        } catch {
            throw table.error(
                "tables, line \(error.line): \(error.reason)",
                hint: "write it as `pruned check --schema STORE` prints it")
        }
    }
}
