/// The schemas that a store may have. A store with another schema is not pruned: its app may have a new way to say
/// which rows matter.
package struct StoreGate: Hashable, Sendable {
    /// The schema of some versions of the app.
    package struct Known: Hashable, Sendable {
        /// The versions, as text for people.
        package var versions: String
        package var schema: StoreSchema

        package init(versions: String, _ schema: StoreSchema) {
            self.versions = versions
            self.schema = schema
        }
    }

    /// At least one.
    package var known: [Known]
    /// The triggers that may fire, although they write.
    package var triggers: Set<String>
    /// The columns that a table may have beyond those of its schema, as `column` or `table.column`.
    package var acceptedColumns: Set<String>
    /// The preset that has the schemas; nil if the store's definition has them itself.
    package var preset: Name?

    package init(
        _ known: [Known], triggers: Set<String> = [], acceptedColumns: Set<String> = [], preset: Name? = nil
    ) {
        self.known = known
        self.triggers = triggers
        self.acceptedColumns = acceptedColumns
        self.preset = preset
    }

    /// The tables of all known schemas. Only these are compared.
    package var tables: Set<String> { Set(known.flatMap(\.schema.tables).map(\.name)) }
}

extension StoreGate {
    /// How a store's schema compares with the nearest known one.
    package struct Verdict {
        package let nearest: Known
        /// What could make a deletion wrong; empty if the schema is a known one.
        package let differences: [String]
        /// The columns that only the store has, as `table.column`, if there is no other difference.
        package let unknownColumns: [String]?
    }

    /// Compares the schema of a store, as far as `uses` depend on it. Nil if no schema is known.
    package func verdict(on schema: StoreSchema, for uses: [SchemaUse], by names: SchemaNames) -> Verdict? {
        let own = FoldedSchema(schema, by: names)
        let versions = known.map { FoldedSchema($0.schema, by: names) }
        let compared = zip(known, versions).map { known, version in
            let comparison = SchemaComparison(own: own, known: version, versions: versions, names: names)
            let all = uses.flatMap { comparison.differences(in: $0, accepting: acceptedColumns) }
            let differences = all.enumerated().filter { !all[..<$0.offset].contains($0.element) }
            return (known: known, found: differences.map(\.element), distance: own.distance(to: version))
        }
        let nearest = compared.min { ($0.found.count, $0.distance) < ($1.found.count, $1.distance) }
        return nearest.map { nearest in
            let columns = nearest.found.compactMap(\.unknownColumn)
            return Verdict(
                nearest: nearest.known, differences: nearest.found.map(\.text),
                unknownColumns: columns.count == nearest.found.count ? columns : nil)
        }
    }
}
