/// What values of a column can be compared with.
package enum TypeClass: String, Sendable {
    case integer
    /// Exact numbers with a fraction: compared, but not added.
    case decimal
    case real
    case text
    case boolean
    case json
    case time
    case uuid
    /// Values of any class, each told by itself.
    case loose
    /// Only IS NULL is asked of it.
    case other
}

/// A column of a table, as far as a condition must know it.
package struct TypedColumn: Equatable, Sendable {
    /// As the catalog has it.
    package let name: String
    package let type: TypeClass
    /// The type as the catalog writes it, for people.
    package let declared: String
    /// What the engine needs to render it: how the column itself compares texts, or its exact type.
    package let detail: String
    /// Whether a truth value is also a number, 1 or 0.
    package let countsAsInteger: Bool

    package init(
        _ name: String, _ type: TypeClass, declared: String = "", detail: String = "",
        countsAsInteger: Bool = false
    ) {
        (self.name, self.type, self.declared) = (name, type, declared)
        (self.detail, self.countsAsInteger) = (detail, countsAsInteger)
    }
}

/// A table whose rows a condition may read.
package struct TypedTable: Equatable, Sendable {
    /// As the catalog has it; with its schema where that is needed.
    package let name: String
    /// The schema that tells it from others of its name; nil in the usual one, and where there are none.
    package let schema: String?
    /// Its name alone, by which a query knows it that names it no other way.
    package let alias: String
    /// As SQL in FROM.
    package let sql: String
    package let columns: [TypedColumn]

    package init(
        _ name: String, in schema: String? = nil, alias: String? = nil, sql: String, columns: [TypedColumn]
    ) {
        (self.name, self.schema, self.alias) = (name, schema, alias ?? name)
        (self.sql, self.columns) = (sql, columns)
    }
}

/// Where a condition finds tables and columns by their names.
package protocol ConditionTables {
    /// The table of this name. Throws a ``ConditionError`` if there is none that a condition may read.
    func table(_ name: WrittenNames.Table) throws -> TypedTable
    /// The name as the catalog compares it: two that are equal mean the same.
    func compared(_ name: SQLName) -> String
    /// The same for a name that the catalog has.
    func compared(catalog name: String) -> String
}

/// A column of one of the tables in scope.
package struct BoundColumn: Equatable, Sendable {
    /// The name by which the query knows the table.
    package let alias: String
    /// How many subqueries are around the one whose table it is: 0 for the row that is judged.
    package let depth: Int
    package let column: TypedColumn
}

package struct BoundTable: Equatable, Sendable {
    package let table: TypedTable
    package let alias: String
}

/// Columns and tables as the catalog has them.
package enum BoundNames: ConditionNames {
    package typealias Column = BoundColumn
    package typealias Table = BoundTable
}

package typealias BoundCondition = Condition<BoundNames>
