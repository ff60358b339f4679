/// How many rows have a value.
package struct ValueCount: Equatable, Sendable {
    /// Nil for all values that are not named.
    package let value: SketchedValue?
    package let rows: Int64

    package init(_ value: SketchedValue?, rows: Int64) {
        (self.value, self.rows) = (value, rows)
    }
}

/// What was seen of a column.
package struct ColumnSketch: Equatable, Sendable {
    package let name: String
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
    /// How many rows of the whole table have each value, the most frequent first; empty where nobody counted. See
    /// ``flag``.
    package internal(set) var counts: [ValueCount] = []
    /// Whether the counts are estimated, by the rows that were looked at.
    package internal(set) var hasEstimates = false

    package init(
        name: String, type: ColumnType = .any, isKey: Bool = false,
        refersTo: String? = nil, isIndexed: Bool = false, values: [SketchedValue]
    ) {
        self.name = name
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
    /// The table in the SQL of a condition, and the name before its own columns there.
    package let sqlName, rowName: String
    package let rows: Int64
    package let precision: Precision
    /// About how much it takes; nil if that is not known.
    package let bytes: Int64?
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

    /// Whether counting all its rows takes no longer than a person waits.
    package var isCountable: Bool { !isEstimate && rows <= 300_000 }

    /// The key if it is one column.
    var key: ColumnSketch? {
        let keys = columns.filter(\.isKey)
        return keys.count == 1 ? keys[0] : nil
    }

    package init(
        name: String, sqlName: String? = nil, rowName: String? = nil, rows: Int64,
        precision: Precision = .exact, bytes: Int64? = nil, columns: [ColumnSketch],
        references: [ReferenceSketch] = [], spread: Set<Int>? = nil, obstacle: String? = nil
    ) {
        self.name = name
        self.sqlName = sqlName ?? name.nameInSQL
        self.rowName = rowName ?? name.nameInSQL
        self.rows = rows
        self.precision = precision
        self.bytes = bytes
        self.columns = columns
        self.references = references
        self.spread = spread ?? Set(columns.first?.values.indices ?? 0..<0)
        self.obstacle = obstacle
    }
}

extension TableSketch {
    /// This sketch with the counts of each flag. Those that `count` does not know, and all of a large table, are
    /// estimated.
    package func counting(_ count: (ColumnSketch) throws -> [ValueCount]) rethrows -> TableSketch {
        TableSketch(
            name: name, sqlName: sqlName, rowName: rowName, rows: rows, precision: precision, bytes: bytes,
            columns: try columns.map { column in
                guard let flag = column.flag else { return column }
                var counted = column
                if isCountable { counted.counts = try count(column) }
                if counted.counts.isEmpty {
                    counted.counts = estimates(of: flag, column)
                    counted.hasEstimates = true
                }
                return counted
            }, references: references, spread: spread, obstacle: obstacle)
    }

    private func estimates(of flag: ColumnFlag, _ column: ColumnSketch) -> [ValueCount] {
        let values = spread.filter { column.values.indices.contains($0) }.map { row -> SketchedValue? in
            let value = column.values[row]
            guard case .presence(let unset) = flag else { return value }
            return value.isUnset ? unset : nil
        }
        return Dictionary(grouping: values) { $0 }.map { value, all in
            ValueCount(value, rows: Int64(Double(all.count) / Double(values.count) * Double(rows)))
        }.sorted { ($0.rows, $1.value?.sql ?? "") > ($1.rows, $0.value?.sql ?? "") }
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

extension ColumnSketch {
    /// Nil if the column is no flag: a key, a reference, or one with many values in each row.
    package var flag: ColumnFlag? {
        guard !isKey, refersTo == nil, type != .other, !values.isEmpty else { return nil }
        let different = Set(values)
        guard !different.contains(.blob) else { return nil }
        if different.count <= ColumnFlag.mostValues { return .values }
        let unset = different.filter(\.isUnset)
        guard let first = unset.first(where: { $0 != .null }) ?? unset.first else { return nil }
        return .presence(unset: first)
    }
}
