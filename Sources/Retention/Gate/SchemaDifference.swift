/// One way in which a store's schema is not the one that its gate knows.
struct SchemaDifference: Equatable {
    let text: String
    /// The column that only the store has, as `table.column`; nil for any other difference.
    var unknownColumn: String?
}

/// Compares the schema of a store with one that its gate knows: what could make a deletion wrong, and nothing else.
struct SchemaComparison {
    let own: FoldedSchema
    let known: FoldedSchema
    /// All known schemas: a column that any of them has is not unknown.
    let versions: [FoldedSchema]
    let names: SchemaNames

    /// The differences that could make `use` wrong, sorted by table. Columns in `accepted` do not count; see
    /// ``StoreGate/acceptedColumns``.
    func differences(in use: SchemaUse, accepting accepted: Set<String>) -> [SchemaDifference] {
        let used = names.all(in: use)
        let judgedColumns = Set(use.judgedColumns.map(names.compared))
        let fired = (
            own: FiredParts(use.changes, in: own, by: names),
            known: FiredParts(use.changes, in: known, by: names)
        )
        var found: [SchemaDifference] = []
        for (name, table) in known.tables.sorted(by: { $0.key < $1.key }) {
            // A condition may name a table without its schema.
            let last = String(name.split(separator: ".").last ?? "")
            let isNamed = used.contains(name) || used.contains(last)
            guard isNamed || fired.own.named.contains(name) || fired.known.named.contains(name) else {
                continue
            }
            guard let own = own.tables[name] else {
                found.append(SchemaDifference(text: "there is no table \(table.name)"))
                continue
            }
            guard own.module == table.module else {
                found.append(SchemaDifference(text: "table \(own.name) was created by another statement"))
                continue
            }
            let isJudged = name == use.judged.map(names.comparedTable)
            if isJudged {
                let known = versions.compactMap { $0.tables[name] }
                found += unknownColumns(of: own, known, Set(accepted.map(names.compared)))
                found += own.laterColumns(than: table, of: known, judgedColumns)
            }
            var texts = own.changedColumns(table, isJudged ? used.union(judgedColumns) : used)
            if name == use.tombstones.map(names.comparedTable) { texts += own.keys(table) { _ in true } }
            for change in use.changes
            where change.event == .update && names.comparedTable(change.table) == name {
                let set = Set(change.columns.map { names.compared($0).schemaWord })
                texts += own.keys(table) { !set.isDisjoint(with: $0) }
            }
            found += texts.map { SchemaDifference(text: $0) }
        }
        let parts = keys(fired.own, fired.known) + triggers(fired.own, fired.known)
        return found + parts.map { SchemaDifference(text: $0) }
    }

    private func unknownColumns(
        of table: FoldedSchema.Table, _ known: [FoldedSchema.Table], _ accepted: Set<String>
    ) -> [SchemaDifference] {
        let unknown = table.columns.filter { column in known.allSatisfy { $0.columns[column.key] == nil } }
        return unknown.sorted { $0.key < $1.key }.compactMap { key, column in
            let place = "\(table.name).\(column.name)"
            let isAccepted =
                accepted.contains(key) || accepted.contains(names.compared(place))
                || accepted.contains(names.comparedTable(place))
            return isAccepted
                ? nil
                : SchemaDifference(
                    text: "table \(table.name) has an unknown column \(column.name)", unknownColumn: place)
        }
    }

    private func keys(_ own: FiredParts, _ known: FiredParts) -> [String] {
        own.keys.subtracting(known.keys).map {
            "table \(spelled($0.child)) has an unknown foreign key \($0.key.text)"
        }.sorted()
            + known.keys.subtracting(own.keys).map {
                "table \(spelled($0.child)) has no foreign key \($0.key.text)"
            }.sorted()
    }

    private func triggers(_ own: FiredParts, _ known: FiredParts) -> [String] {
        let places = Set((own.triggers.union(known.triggers)).map { [$0.table, $0.name] })
        return places.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { place in
            let (table, name) = (place[0], place[1])
            let trigger = (
                own: self.own.tables[table]?.triggers[name],
                known: known.triggers.first { [$0.table, $0.name] == place }?.trigger
            )
            guard let known = trigger.known else {
                return "table \(spelled(table)) has an unknown trigger \(trigger.own?.name ?? name)"
            }
            guard let own = trigger.own else { return "table \(spelled(table)) has no trigger \(known.name)" }
            return own.words == known.words
                ? nil : "trigger \(own.name) on \(spelled(table)) does something else"
        }
    }

    private func spelled(_ name: String) -> String { own.tables[name]?.name ?? name }
}

extension FoldedSchema.Table {
    /// Those that are `used` and that another version has, but not this one.
    fileprivate func laterColumns(
        than known: FoldedSchema.Table, of versions: [FoldedSchema.Table], _ used: Set<String>
    ) -> [SchemaDifference] {
        columns.filter { column in
            used.contains(column.key) && known.columns[column.key] == nil
                && versions.contains { $0.columns[column.key] != nil }
        }.sorted { $0.key < $1.key }
            .map { SchemaDifference(text: "table \(name) has an additional column \($0.value.name)") }
    }

    /// Of the columns whose names are in `used`.
    fileprivate func changedColumns(_ known: FoldedSchema.Table, _ used: Set<String>) -> [String] {
        known.columns.filter { used.contains($0.key) }.sorted { $0.key < $1.key }.compactMap { key, column in
            guard let own = columns[key] else { return "table \(name) has no column \(column.name)" }
            return own.type == column.type ? nil : "\(name).\(own.name) is \(own.type), not \(column.type)"
        }
    }

    /// Of the unique keys that `concern` the use.
    fileprivate func keys(_ known: FoldedSchema.Table, _ concern: ([String]) -> Bool) -> [String] {
        keys.subtracting(known.keys).filter(concern)
            .map { "table \(name) has an unknown unique index on \(SchemaWords.joined($0))" }.sorted()
            + known.keys.subtracting(keys).filter(concern)
            .map { "table \(name) has no unique index on \(SchemaWords.joined($0))" }.sorted()
    }
}
