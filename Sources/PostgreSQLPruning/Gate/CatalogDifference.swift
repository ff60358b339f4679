import Retention

/// One way in which a database's schema is not the one that its gate knows.
struct CatalogDifference: Equatable {
    let text: String
    /// The column that only the database has, as `table.column`; nil for any other difference.
    var unknownColumn: String?
}

extension SchemaUse {
    /// The names in it. Some may be names of other things; then more is compared.
    ///
    /// A condition that cannot be read is no reason here: the rule itself fails by it.
    var catalogNames: Set<String> {
        let found = conditions.flatMap { (try? SQLLexer.tokens(of: $0)) ?? [] }.filter(\.isName)
        return Set(names.map(\.bareName) + found.map(\.text))
    }
}

extension CatalogFacts {
    /// The differences of this schema, a database's, from `known` that could make `use` wrong, sorted by table.
    ///
    /// `versions` are all known schemas: a column that any of them has is not unknown. Those in `accepted` do not count.
    func differences(
        from known: CatalogFacts, of versions: [CatalogFacts], in use: SchemaUse,
        accepting accepted: Set<String> = []
    ) -> [CatalogDifference] {
        let names = use.catalogNames
        var found: [CatalogDifference] = []
        for (name, table) in known.tables.sorted(by: { $0.key < $1.key }) {
            // Expressions may name a table without its schema.
            let last = String(name.split(separator: ".").last ?? "")
            guard names.contains(name.bareName) || names.contains(last) else { continue }
            guard let own = tables[name] else {
                found.append(CatalogDifference(text: "there is no table \(name)"))
                continue
            }
            let isJudged = name.bareName == use.judged?.bareName
            if isJudged {
                let known = versions.compactMap { $0.tables[name] }
                found += own.unknownColumns(known, accepted)
                found += own.laterColumns(than: table, of: known, Set(use.judgedColumns.map(\.bareName)))
            }
            var texts = own.changedColumns(
                table, isJudged ? names.union(use.judgedColumns.map(\.bareName)) : names)
            if name.bareName == use.tombstones?.bareName {
                texts += own.key(table) + own.indexes(table) { _ in true }
            }
            for change in use.changes where change.event == .update && change.table.bareName == name.bareName
            {
                let set = Set(change.columns.map(\.sqlName))
                texts += own.indexes(table) { !set.isDisjoint(with: $0) }
            }
            found += texts.map { CatalogDifference(text: $0) }
        }
        let own = FiredFacts(use.changes, in: self)
        let other = FiredFacts(use.changes, in: known)
        return found + (keys(own, other) + triggers(own, other)).map { CatalogDifference(text: $0) }
    }

    /// In how many columns it is not the same, whether these matter or not.
    func distance(to known: CatalogFacts) -> Int {
        known.tables.reduce(0) { sum, entry in
            let own = Set(tables[entry.key]?.columns.map(\.name) ?? [])
            return sum + own.symmetricDifference(entry.value.columns.map(\.name)).count
        }
    }

    private func keys(_ own: FiredFacts, _ known: FiredFacts) -> [String] {
        own.keys.subtracting(known.keys).map {
            "table \($0.child) has an unknown foreign key \($0.key.joinedAsSQL)"
        }.sorted()
            + known.keys.subtracting(own.keys).map {
                "table \($0.child) has no foreign key \($0.key.joinedAsSQL)"
            }.sorted()
    }

    private func triggers(_ own: FiredFacts, _ known: FiredFacts) -> [String] {
        let places = Set((own.triggers.union(known.triggers)).map { [$0.table, $0.name] })
        return places.sorted { $0.lexicographicallyPrecedes($1) }.compactMap { place in
            let (table, name) = (place[0], place[1])
            switch (tables[table]?.triggers[name], known.triggers.first { [$0.table, $0.name] == place }) {
            case (_, nil): return "table \(table) has an unknown trigger \(name)"
            case (nil, _): return "table \(table) has no trigger \(name)"
            case (let own, let other?):
                return own == other.words ? nil : "trigger \(name) on \(table) does something else"
            }
        }
    }
}

extension CatalogFacts.Table {
    fileprivate func unknownColumns(
        _ known: [CatalogFacts.Table], _ accepted: Set<String>
    ) -> [CatalogDifference] {
        let unknown = columns.map(\.name).filter { column in known.allSatisfy { $0[column] == nil } }
        return unknown.sorted().compactMap { column in
            guard !accepted.contains(column), !accepted.contains("\(name).\(column)") else { return nil }
            return CatalogDifference(
                text: "table \(name) has an unknown column \(column)", unknownColumn: "\(name).\(column)")
        }
    }

    /// Those that are `used` and that another version has, but not this one.
    fileprivate func laterColumns(
        than known: CatalogFacts.Table, of versions: [CatalogFacts.Table], _ used: Set<String>
    ) -> [CatalogDifference] {
        columns.map(\.name).filter { column in
            used.contains(column) && known[column] == nil && versions.contains { $0[column] != nil }
        }.sorted().map { CatalogDifference(text: "table \(name) has an additional column \($0)") }
    }

    /// Of the columns whose names are in `used`.
    fileprivate func changedColumns(_ known: CatalogFacts.Table, _ used: Set<String>) -> [String] {
        known.columns.filter { used.contains($0.name) }.sorted { $0.name < $1.name }.compactMap { column in
            guard let own = self[column.name] else { return "table \(name) has no column \(column.name)" }
            return own.typeClass == column.typeClass
                ? nil : "\(name).\(own.name) is \(own.typeClass), not \(column.typeClass)"
        }
    }

    fileprivate func key(_ known: CatalogFacts.Table) -> [String] {
        guard Set(primaryKey) != Set(known.primaryKey) else { return [] }
        return [
            primaryKey.isEmpty
                ? "table \(name) has no primary key"
                : "table \(name) has the primary key (\(primaryKey.joined(separator: ", "))), not"
                    + " (\(known.primaryKey.joined(separator: ", ")))"
        ]
    }

    /// Of the unique indexes that `concern` the use.
    fileprivate func indexes(_ known: CatalogFacts.Table, _ concern: ([String]) -> Bool) -> [String] {
        uniqueIndexes.subtracting(known.uniqueIndexes).filter(concern).map(\.joinedAsSQL).sorted()
            .map { "table \(name) has an unknown unique index on \($0)" }
            + known.uniqueIndexes.subtracting(uniqueIndexes).filter(concern).map(\.joinedAsSQL).sorted()
            .map { "table \(name) has no unique index on \($0)" }
    }
}

extension CatalogFacts.Column {
    /// By the type's name, without its length.
    var typeClass: ColumnClass {
        if type.contains("[") { return .other(typeText) }
        switch type.first {
        case "smallint", "integer", "bigint", "numeric", "real", "double": return .number
        case "text", "character": return .text
        case "boolean": return .boolean
        case "timestamp", "date": return .time
        case "bytea": return .bytes
        default: return .other(typeText)
        }
    }
}
