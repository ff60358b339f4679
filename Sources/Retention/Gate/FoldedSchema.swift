/// A schema with its names in the form in which the store compares them.
struct FoldedSchema {
    struct Table {
        /// As the store writes it.
        let name: String
        let columns: [String: StoreSchema.Column]
        /// The primary key and the unique keys: each of them says which rows there cannot be twice.
        let keys: Set<[String]>
        let foreignKeys: Set<StoreSchema.ForeignKey>
        let triggers: [String: StoreSchema.Trigger]
        let module: [String]?
    }

    /// By their folded names.
    let tables: [String: Table]

    init(_ schema: StoreSchema, by names: SchemaNames) {
        let tables = schema.tables.map { (names.comparedTable($0.name), Table($0, by: names)) }
        self.tables = Dictionary(tables) { $1 }
    }

    /// In how many columns it is not the same, whether these matter or not.
    func distance(to known: FoldedSchema) -> Int {
        known.tables.reduce(0) { sum, entry in
            let own = tables[entry.key].map { Set($0.columns.keys) } ?? []
            return sum + own.symmetricDifference(entry.value.columns.keys).count
        }
    }
}

extension FoldedSchema.Table {
    fileprivate init(_ table: StoreSchema.Table, by names: SchemaNames) {
        name = table.name
        let columns = table.columns.map { column in
            var type = column.type
            if case .other(let name) = type { type = .other(names.compared(name)) }
            return (names.compared(column.name), StoreSchema.Column(column.name, type))
        }
        self.columns = Dictionary(columns) { $1 }
        let primary = table.primaryKey.map { [$0.schemaWord] }.joined(separator: [","])
        let all = table.uniqueKeys.union(table.primaryKey.isEmpty ? [] : [["("] + primary + [")"]])
        keys = Set(all.map { StoreSchema.Table.uniqueKey(names.compared($0)) })
        foreignKeys = Set(
            table.foreignKeys.map { key in
                StoreSchema.ForeignKey(
                    key.columns.map(names.compared), to: names.comparedTable(key.parent),
                    key.parentColumns.map(names.compared), onDelete: key.onDelete, onUpdate: key.onUpdate)
            })
        let triggers = table.triggers.map { trigger in
            (names.compared(trigger.name), StoreSchema.Trigger(trigger.name, names.compared(trigger.words)))
        }
        self.triggers = Dictionary(triggers) { $1 }
        module = table.module.map(names.compared)
    }
}

extension SchemaNames {
    /// The names of the columns of each table, in the form in which they are compared.
    package func columns(of schema: StoreSchema) -> [String: Set<String>] {
        FoldedSchema(schema, by: self).tables.mapValues { Set($0.columns.keys) }
    }
}
