import SQLite

/// A checked expression of a rule, and the tables that it reads besides the rule's own.
struct ExpressionReader: Equatable {
    let check: ExpressionCheck
    let tables: Set<String>

    /// Throws a ``SchemaMismatch`` if the expression cannot be used.
    init(_ check: ExpressionCheck, in db: Database) throws {
        self.check = check
        tables = try check.tablesRead(in: db)
    }

    /// With the schema's spelling, the name of the table of this name; nil if the expression does not read it.
    func table(_ name: String) -> String? { tables.first { $0.comparedName == name.comparedName } }
}
