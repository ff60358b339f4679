import Retention

/// One way in which a store's schema is not the one that its gate knows.
struct SchemaDifference: Equatable {
    let text: String
    /// The column that only the store has, as `table.column`; nil for any other difference.
    var unknownColumn: String?
}

extension SchemaUse {
    /// The names in it, in the form of `gateName`. Some may be names of other things, or texts; then more is compared.
    var gateNames: Set<String> {
        Set((names + conditions.flatMap { SQLToken.all(of: $0).map(\.text) }).map(\.gateName))
    }
}

extension SchemaFacts {
    /// The differences of this schema, a store's, from `known` that could make `use` wrong, sorted by table.
    ///
    /// `versions` are all known schemas: a column that any of them has is not unknown. Those in `accepted` do not count; see
    /// ``StoreGate/acceptedColumns``.
    func differences(
        from known: SchemaFacts, of versions: [SchemaFacts], in use: SchemaUse,
        accepting accepted: Set<String> = []
    ) -> [SchemaDifference] {
        let names = use.gateNames
        let fired = (own: FiredParts(use.changes, in: self), known: FiredParts(use.changes, in: known))
        var found: [SchemaDifference] = []
        for (name, table) in known.tables.sorted(by: { $0.key < $1.key }) {
            let isNamed = fired.own.names(name) || fired.known.names(name)
            guard names.contains(name) || isNamed else { continue }
            guard let own = tables[name] else {
                found.append(SchemaDifference(text: "there is no table \(table.name)"))
                continue
            }
            guard own.module == table.module else {
                found.append(SchemaDifference(text: "table \(own.name) was created by another statement"))
                continue
            }
            let isJudged = name == use.judged?.gateName
            if isJudged {
                let known = versions.compactMap { $0.tables[name] }
                found += own.unknownColumns(known, Set(accepted.map(\.gateName)))
                found += own.laterColumns(than: table, of: known, Set(use.judgedColumns.map(\.gateName)))
            }
            var texts = own.changedColumns(
                table, isJudged ? names.union(use.judgedColumns.map(\.gateName)) : names)
            if name == use.tombstones?.gateName { texts += own.keys(table) { _ in true } }
            for change in use.changes where change.event == .update && change.table.gateName == name {
                let set = Set(change.columns.map(\.gateName))
                texts += own.keys(table) { !set.isDisjoint(with: $0) }
            }
            found += texts.map { SchemaDifference(text: $0) }
        }
        let parts = keys(fired.own, fired.known) + triggers(fired.own, fired.known)
        return found + parts.map { SchemaDifference(text: $0) }
    }

    /// In how many columns it is not the same, whether these matter or not.
    func distance(to known: SchemaFacts) -> Int {
        known.tables.reduce(0) { sum, entry in
            let own = Set(tables[entry.key]?.columns.keys.map(\.self) ?? [])
            return sum + own.symmetricDifference(entry.value.columns.keys).count
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
            let both = [own, known].map { parts in
                parts.triggers.first { $0.table == table && $0.name == name }?.trigger
            }
            switch (both[0], both[1]) {
            case (_, nil): return "table \(spelled(table)) has an unknown trigger \(name)"
            case (nil, _): return "table \(spelled(table)) has no trigger \(name)"
            case (let own, let other):
                return own == other ? nil : "trigger \(name) on \(spelled(table)) does something else"
            }
        }
    }

    private func spelled(_ name: String) -> String { tables[name]?.name ?? name }
}

extension SchemaFacts.Table {
    fileprivate func unknownColumns(
        _ known: [SchemaFacts.Table], _ accepted: Set<String>
    ) -> [SchemaDifference] {
        let unknown = columns.filter { column in known.allSatisfy { $0.columns[column.key] == nil } }
        return unknown.sorted { $0.key < $1.key }.compactMap { key, column in
            let isAccepted = accepted.contains(key) || accepted.contains(name.gateName + "." + key)
            return isAccepted
                ? nil
                : SchemaDifference(
                    text: "table \(name) has an unknown column \(column.name)",
                    unknownColumn: "\(name).\(column.name)")
        }
    }

    /// Those that are `used` and that another version has, but not this one.
    fileprivate func laterColumns(
        than known: SchemaFacts.Table, of versions: [SchemaFacts.Table], _ used: Set<String>
    ) -> [SchemaDifference] {
        columns.filter { column in
            used.contains(column.key) && known.columns[column.key] == nil
                && versions.contains { $0.columns[column.key] != nil }
        }.sorted { $0.key < $1.key }
            .map { SchemaDifference(text: "table \(name) has an additional column \($0.value.name)") }
    }

    /// Of the columns whose names are in `used`.
    fileprivate func changedColumns(_ known: SchemaFacts.Table, _ used: Set<String>) -> [String] {
        known.columns.filter { used.contains($0.key) }.sorted { $0.key < $1.key }.compactMap { key, column in
            guard let own = columns[key] else { return "table \(name) has no column \(column.name)" }
            return own.type == column.type ? nil : "\(name).\(own.name) is \(own.type), not \(column.type)"
        }
    }

    /// Of the unique keys that `concern` the use.
    fileprivate func keys(_ known: SchemaFacts.Table, _ concern: ([String]) -> Bool) -> [String] {
        let text = { (parts: [String]) in parts.joined(separator: ", ") }
        return uniqueKeys.subtracting(known.uniqueKeys).filter(concern)
            .map { "table \(name) has an unknown unique index on \(text($0))" }.sorted()
            + known.uniqueKeys.subtracting(uniqueKeys).filter(concern)
            .map { "table \(name) has no unique index on \(text($0))" }.sorted()
    }
}

extension SchemaFacts.ForeignKey {
    fileprivate var text: String {
        let target = parentColumns.isEmpty ? "" : " (\(parentColumns.joined(separator: ", ")))"
        let actions = [("UPDATE", onUpdate), ("DELETE", onDelete)].filter { $0.1 != "NO ACTION" }
        return "(\(columns.joined(separator: ", "))) to \(parent)\(target)"
            + actions.map { " ON \($0.0) \($0.1)" }.joined()
    }
}
