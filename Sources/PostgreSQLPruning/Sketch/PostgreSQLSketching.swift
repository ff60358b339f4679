import Pruning
import Retention

/// Looks at a PostgreSQL database without reading all of it: its tables, and some rows of each.
///
/// Each table is looked at in a short transaction of its own, with a limit on the time of each statement.
package struct PostgreSQLSketching: StoreSketching {
    let address: Address
    let control: RunControl

    package init(_ connection: ConnectionString, control: RunControl) {
        address = Address(text: connection.text, place: connection.redacted).named("pruned suggest")
        self.control = control
    }

    package func take() throws(StoreError) -> StoreSketch {
        let connection = try Connection(address, control)
        defer { connection.close() }
        let (facts, tables) = try connection.perform("look at the schema") {
            let facts = try connection.serverFacts()
            try connection.check(facts)
            return (facts, try connection.transaction(Self.looking) { try connection.sketchableTables() })
        }
        let seen = tables.prefix(Self.mostTables)
        let end = control.monotonic() + Self.patience
        var sketches: [TableSketch] = []
        for table in seen {
            sketches.append(try look(at: table, in: connection, canRead: control.monotonic() < end))
        }
        return StoreSketch(
            tables: sketches, unseen: tables.count - seen.count, lacksLog: false, database: facts.database)
    }

    /// The names of all tables, or without their schema of those in `public`.
    package func tableNames(withSchema: Bool) throws(StoreError) -> [String] {
        let connection = try Connection(address, control)
        defer { connection.close() }
        let names = try connection.perform("look for stores") {
            try connection.check(connection.serverFacts())
            return try connection.transaction(Self.looking) { try connection.tableNames() }
        }
        return names.compactMap { name in
            withSchema
                ? "\(name.schema ?? Relation.usualSchema).\(name.name)" : name.schema == nil ? name.name : nil
        }
    }

    package func count(_ questions: [KeyQuestion]) throws(StoreError) -> [Int?] {
        guard !questions.isEmpty else { return [] }
        let connection = try Connection(address, control)
        defer { connection.close() }
        let end = control.monotonic() + Self.patience
        var counts: [Int?] = []
        for question in questions {
            guard control.monotonic() < end, connection.isOpen else {
                counts.append(nil)
                continue
            }
            do {
                let found = try connection.perform("look for keys") {
                    try connection.transaction(Self.looking) { try connection.count(question) }
                }
                counts.append(found)
            } catch {
                guard [.tooSlow, .busy, .schema, .other].contains(error.kind) else { throw error }
                counts.append(nil)
            }
        }
        return counts
    }

    package func fit(_ gates: [GatedRules]) throws(StoreError) -> [GateFit] {
        guard !gates.isEmpty else { return [] }
        let connection = try Connection(address, control)
        defer { connection.close() }
        return try connection.perform("compare the schema") {
            try connection.transaction(.reading) {
                try gates.map { gated in
                    let gate = Gate(
                        gated.gate, for: gated.rules.map { SchemaUse($0) }, place: address.place,
                        names: .postgresql)
                    return try gate.fit(StoreSchema(of: gated.gate.tables, in: connection))
                }
            }
        }
    }

    /// Of a table whose rows cannot be read, or not in time, only the schema is known.
    private func look(
        at table: UInt32, in connection: Connection, canRead: Bool
    ) throws(StoreError) -> TableSketch {
        let look = try connection.perform("look at a table") {
            try connection.transaction(Self.looking) { try TableLook(table, in: connection) }
        }
        guard canRead else { return look.outline(obstacle: "there was no time to look at its rows") }
        if let obstacle = look.obstacle { return look.outline(obstacle: obstacle) }
        do {
            let sketch = try connection.perform("look at \(look.name)") {
                try connection.transaction(Self.looking) { try look.sketch(in: connection) }
            }
            // Without a count the column is no less a flag.
            return sketch.counting { column in
                let counts = try? connection.perform("count the rows of \(look.name)") {
                    try connection.transaction(Self.looking) { try look.counts(of: column, in: connection) }
                }
                return counts ?? []
            }
        } catch {
            guard [.tooSlow, .busy, .schema].contains(error.kind), connection.isOpen else {
                throw error
            }
            return look.outline(
                obstacle: [error.cause, error.hint].compactMap(\.self).joined(separator: "; "))
        }
    }

    static let looking = TransactionKind(isReadOnly: true, statementTimeout: .milliseconds(500))

    /// How long to look at all tables.
    private static let patience: Duration = .seconds(3)
    /// More tables than an app has, and few enough to look at in time.
    private static let mostTables = 300
}

extension Connection {
    /// How many of some values a column has; nil if there is no such table.
    fileprivate func count(_ question: KeyQuestion) throws -> Int? {
        guard let relation = try relationIfAny(question.table), relation[question.column]?.isOfCatalog == true
        else { return nil }
        try ReachedCode.checkReading(relation, in: self)
        let column = question.column.quotedIdentifier
        let values = question.values.map { value in
            if case .text(let text) = value { text.quotedLiteral } else { (value.sql ?? "").quotedLiteral }
        }.joined(separator: ", ")
        let found = try query(
            "SELECT count(DISTINCT \(column)) FROM \(relation.sql) WHERE \(column) IN (\(values))")
        return found.integer(0, 0).map(Int.init)
    }

    /// The tables of users in the order of their names, without those that are partitions of others.
    fileprivate func sketchableTables() throws -> [UInt32] {
        try query(
            """
            SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't' \
            AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' \
            AND n.nspname NOT LIKE '\\_timescaledb\\_%' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid \
            AND d.deptype = 'e') ORDER BY n.nspname <> 'public', n.nspname, c.relname
            """
        ).rows.compactMap { $0[0].flatMap { UInt32($0) } }
    }
}
