/// The schemas that a store may have. A store with another schema is not pruned: its app may have a new way to say
/// which rows matter.
package struct StoreGate: Hashable, Sendable {
    /// The schema of some versions of the app.
    package struct Schema: Hashable, Sendable {
        /// The versions, as text for people.
        package var versions: String
        /// The schema itself. For SQLite: the statements that create it. For PostgreSQL: its part of the catalog.
        package var text: String

        package init(versions: String, text: String) {
            self.versions = versions
            self.text = text
        }
    }

    /// At least one.
    package var schemas: [Schema]
    /// The triggers that may fire, although they write.
    package var triggers: Set<String>
    /// The columns that a table may have beyond those of its schema, as `column` or `table.column`.
    package var acceptedColumns: Set<String>
    /// The preset that has the schemas; nil if the store's definition has them itself.
    package var preset: Name?

    package init(
        schemas: [Schema], triggers: Set<String> = [], acceptedColumns: Set<String> = [], preset: Name? = nil
    ) {
        self.schemas = schemas
        self.triggers = triggers
        self.acceptedColumns = acceptedColumns
        self.preset = preset
    }
}
