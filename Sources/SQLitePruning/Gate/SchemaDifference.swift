/// One way in which a store's schema is not the one that its gate knows.
struct SchemaDifference: Equatable {
    let text: String
    /// The column that only the store has, as `table.column`; nil for any other difference.
    var unknownColumn: String?
}

extension SchemaFacts {
    /// How this schema, a store's, differs from `known`, sorted by table. Tables that only the store has do not count,
    /// nor do columns in `accepted`; see ``StoreGate/acceptedColumns``.
    func differences(from known: SchemaFacts, accepting accepted: Set<String> = []) -> [SchemaDifference] {
        let accepted = Set(accepted.map(\.gateName))
        return known.tables.sorted { $0.key < $1.key }.flatMap { name, table -> [SchemaDifference] in
            guard let own = tables[name] else {
                return [SchemaDifference(text: "there is no table \(table.name)")]
            }
            return own.differences(from: table, accepting: accepted)
        }
    }
}

extension SchemaFacts.Table {
    fileprivate func differences(
        from known: SchemaFacts.Table, accepting accepted: Set<String>
    ) -> [SchemaDifference] {
        guard module == known.module else {
            return [SchemaDifference(text: "table \(name) was created by another statement")]
        }
        return unknownColumns(known, accepted)
            + (changedColumns(known) + keys(known) + indexes(known) + changedTriggers(known))
            .map { SchemaDifference(text: $0) }
    }

    private func unknownColumns(_ known: SchemaFacts.Table, _ accepted: Set<String>) -> [SchemaDifference] {
        columns.filter { known.columns[$0.key] == nil }.sorted { $0.key < $1.key }.compactMap { key, column in
            let isAccepted = accepted.contains(key) || accepted.contains(name.gateName + "." + key)
            return isAccepted
                ? nil
                : SchemaDifference(
                    text: "table \(name) has an unknown column \(column.name)",
                    unknownColumn: "\(name).\(column.name)")
        }
    }

    private func changedColumns(_ known: SchemaFacts.Table) -> [String] {
        known.columns.sorted { $0.key < $1.key }.flatMap { key, column -> [String] in
            guard let own = columns[key] else { return ["table \(name) has no column \(column.name)"] }
            let place = "\(name).\(own.name)"
            let changes = [
                own.type == column.type
                    ? nil : "is declared as \(own.type.declared), not as \(column.type.declared)",
                own.isNotNull == column.isNotNull ? nil : own.isNotNull ? "is NOT NULL" : "may be NULL",
                own.keyPosition == column.keyPosition
                    ? nil
                    : own.keyPosition == 0
                        ? "is not part of the primary key" : "is part \(own.keyPosition) of the primary key",
                own.isGenerated == column.isGenerated
                    ? nil : own.isGenerated ? "is generated" : "is not generated",
            ]
            return changes.compactMap { $0.map { place + " " + $0 } }
        }
    }

    private func keys(_ known: SchemaFacts.Table) -> [String] {
        foreignKeys.subtracting(known.foreignKeys).map {
            "table \(name) has an unknown foreign key \($0.text)"
        }
        .sorted()
            + known.foreignKeys.subtracting(foreignKeys).map { "table \(name) has no foreign key \($0.text)" }
            .sorted()
    }

    private func indexes(_ known: SchemaFacts.Table) -> [String] {
        let text = { (parts: [String]) in parts.joined(separator: ", ") }
        return uniqueIndexes.subtracting(known.uniqueIndexes)
            .map { "table \(name) has an unknown unique index on \(text($0))" }.sorted()
            + known.uniqueIndexes.subtracting(uniqueIndexes)
            .map { "table \(name) has no unique index on \(text($0))" }.sorted()
    }

    private func changedTriggers(_ known: SchemaFacts.Table) -> [String] {
        Set(triggers.keys).union(known.triggers.keys).sorted().compactMap { trigger in
            switch (triggers[trigger], known.triggers[trigger]) {
            case (_, nil): "table \(name) has an unknown trigger \(trigger)"
            case (nil, _): "table \(name) has no trigger \(trigger)"
            case (let own, let other):
                own == other ? nil : "trigger \(trigger) on \(name) does something else"
            }
        }
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

extension String {
    fileprivate var declared: String { isEmpty ? "nothing" : uppercased() }
}
