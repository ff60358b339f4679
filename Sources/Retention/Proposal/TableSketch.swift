/// A value that was seen in a column.
package enum SketchedValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// The beginning of a text.
    case text(String)
    case blob

    /// Whether apps write the value for "no time": NULL, zero or an empty text.
    var isUnset: Bool {
        switch self {
        case .null, .integer(0), .real(0), .text(""): true
        case .integer, .real, .text, .blob: false
        }
    }
}

/// What was seen of a column.
package struct ColumnSketch: Equatable, Sendable {
    package let name: String
    /// As the schema says it; empty if it does not.
    package let declaredType: String
    /// What the type says of all values.
    package let type: ColumnType
    /// Whether it is the table's key or a part of it.
    package let isKey: Bool
    /// The table that a foreign key refers to from here; nil without one.
    package let refersTo: String?
    package let isIndexed: Bool
    /// Its values in the rows that were looked at, in the order of ``TableSketch/spread``. Those of a type that only has
    /// times are seconds since 1970.
    package let values: [SketchedValue]

    package init(
        name: String, declaredType: String = "", type: ColumnType = .any, isKey: Bool = false,
        refersTo: String? = nil, isIndexed: Bool = false, values: [SketchedValue]
    ) {
        self.name = name
        self.declaredType = declaredType
        self.type = type
        self.isKey = isKey
        self.refersTo = refersTo
        self.isIndexed = isIndexed
        self.values = values
    }
}

/// Rows of another table that refer to rows of this one by a foreign key.
package struct ReferenceSketch: Hashable, Sendable {
    package let table: String
    package let column: String
    /// Whether they are deleted with the row that they refer to.
    package let cascades: Bool
    /// Whether it refers to the table's key itself, and not to another column or to what a deletion takes along.
    package let refersToKey: Bool

    package init(table: String, column: String, cascades: Bool, refersToKey: Bool = true) {
        self.table = table
        self.column = column
        self.cascades = cascades
        self.refersToKey = refersToKey
    }
}

/// What was seen of a table, without reading all of it.
package struct TableSketch: Equatable, Sendable {
    package let name: String
    package let rows: Int64
    package let precision: Precision
    package let columns: [ColumnSketch]
    /// The foreign keys that refer to this table, and those that refer to what these delete with it.
    package let references: [ReferenceSketch]
    /// Of the rows that were looked at, those that stand for the whole table.
    package let spread: Set<Int>
    /// Why its rows could not be looked at; nil if they could.
    package let obstacle: String?

    /// How far ``TableSketch/rows`` can be believed.
    package enum Precision: Equatable, Sendable {
        case exact, about, atLeast
    }

    /// Whether ``rows`` is not exact.
    package var isEstimate: Bool { precision != .exact }

    package init(
        name: String, rows: Int64, precision: Precision = .exact, columns: [ColumnSketch],
        references: [ReferenceSketch] = [], spread: Set<Int>? = nil, obstacle: String? = nil
    ) {
        self.name = name
        self.rows = rows
        self.precision = precision
        self.columns = columns
        self.references = references
        self.spread = spread ?? Set(columns.first?.values.indices ?? 0..<0)
        self.obstacle = obstacle
    }
}

/// What was seen of a store.
package struct StoreSketch: Equatable, Sendable {
    package let tables: [TableSketch]
    /// How many more tables there are, at which nobody looked.
    package let unseen: Int
    /// Whether its app needs quiet runs, unless it waits for locks: it has no write-ahead log.
    package let lacksLog: Bool
    /// The number by which its app marks its databases; 0 if it does not.
    package let application: Int64
    /// The name of the database on its server; nil for a file.
    package let database: String?

    package init(
        tables: [TableSketch], unseen: Int = 0, lacksLog: Bool, application: Int64 = 0,
        database: String? = nil
    ) {
        self.tables = tables
        self.unseen = unseen
        self.lacksLog = lacksLog
        self.application = application
        self.database = database
    }
}
