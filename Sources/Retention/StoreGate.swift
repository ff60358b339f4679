/// The schemas that a store may have. A store with another schema is not pruned: its app may have a new way to say
/// which rows matter.
package struct StoreGate: Codable, Hashable, Sendable {
    /// The schema of some versions of the app.
    package struct Known: Codable, Hashable, Sendable {
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
