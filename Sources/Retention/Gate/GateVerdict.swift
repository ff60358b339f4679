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
