/// One way in which a database's schema is not the one that its gate knows.
struct CatalogDifference: Equatable {
    let text: String
    /// The column that only the database has, as `table.column`; nil for any other difference.
    var unknownColumn: String?
}

extension CatalogFacts {
    /// How this schema, a database's, differs from `known`, sorted by table. Columns in `accepted` do not count.
    func differences(from known: CatalogFacts, accepting accepted: Set<String> = []) -> [CatalogDifference] {
        known.tables.sorted { $0.key < $1.key }.flatMap { name, table -> [CatalogDifference] in
            guard let own = tables[name] else {
                return [CatalogDifference(text: "there is no table \(name)")]
            }
            return own.differences(from: table, accepting: accepted)
        }
    }
}

extension CatalogFacts.Table {
    fileprivate func differences(
        from known: CatalogFacts.Table, accepting accepted: Set<String>
    ) -> [CatalogDifference] {
        unknownColumns(known, accepted)
            + (changedColumns(known) + key(known) + keys(known) + indexes(known) + changedTriggers(known))
            .map { CatalogDifference(text: $0) }
    }

    private func unknownColumns(
        _ known: CatalogFacts.Table, _ accepted: Set<String>
    ) -> [CatalogDifference] {
        columns.filter { known[$0.name] == nil }.map(\.name).sorted().compactMap { column in
            guard !accepted.contains(column), !accepted.contains("\(name).\(column)") else { return nil }
            return CatalogDifference(
                text: "table \(name) has an unknown column \(column)", unknownColumn: "\(name).\(column)")
        }
    }

    private func changedColumns(_ known: CatalogFacts.Table) -> [String] {
        known.columns.sorted { $0.name < $1.name }.flatMap { column -> [String] in
            guard let own = self[column.name] else { return ["table \(name) has no column \(column.name)"] }
            let changes = [
                own.type == column.type
                    ? nil : "is declared as \(own.typeText), not as \(column.typeText)",
                own.isNotNull == column.isNotNull ? nil : own.isNotNull ? "is NOT NULL" : "may be NULL",
                own.isGenerated == column.isGenerated
                    ? nil : own.isGenerated ? "is generated" : "is not generated",
            ]
            return changes.compactMap { $0.map { "\(name).\(own.name) \($0)" } }
        }
    }

    private func key(_ known: CatalogFacts.Table) -> [String] {
        guard primaryKey != known.primaryKey else { return [] }
        return [
            primaryKey.isEmpty
                ? "table \(name) has no primary key"
                : "table \(name) has the primary key (\(primaryKey.joined(separator: ", "))), not"
                    + " (\(known.primaryKey.joined(separator: ", ")))"
        ]
    }

    private func keys(_ known: CatalogFacts.Table) -> [String] {
        foreignKeys.subtracting(known.foreignKeys).map(\.joinedAsSQL).sorted()
            .map { "table \(name) has an unknown foreign key \($0)" }
            + known.foreignKeys.subtracting(foreignKeys).map(\.joinedAsSQL).sorted()
            .map { "table \(name) has no foreign key \($0)" }
    }

    private func indexes(_ known: CatalogFacts.Table) -> [String] {
        uniqueIndexes.subtracting(known.uniqueIndexes).map(\.joinedAsSQL).sorted()
            .map { "table \(name) has an unknown unique index on \($0)" }
            + known.uniqueIndexes.subtracting(uniqueIndexes).map(\.joinedAsSQL).sorted()
            .map { "table \(name) has no unique index on \($0)" }
    }

    private func changedTriggers(_ known: CatalogFacts.Table) -> [String] {
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
