import Retention
import RuleEngine
import SQLite

/// Looks at some rows of a table: the first, the last, and some that are spread evenly over its keys.
struct TableLook {
    private let schema: TableSchema
    private let references: [ForeignKey]
    private let clock: @Sendable () -> Duration
    private let patience: Duration
    private let db: Database
    /// The columns that are looked at.
    private let columns: [TableSchema.Column]
    /// Those of which only the name is known.
    private let unread: [TableSchema.Column]

    /// Nil if there is no such table. `patience` is about how long to look at it.
    init?(
        _ name: String, references: [ForeignKey], clock: @escaping @Sendable () -> Duration,
        patience: Duration,
        in db: Database
    ) throws {
        guard let schema = try TableSchema(name, in: db) else { return nil }
        (self.schema, self.references, self.clock, self.db) = (schema, references, clock, db)
        self.patience = patience
        let looked = Array(schema.columns.filter { !$0.isVirtual }.prefix(Self.mostColumns))
        columns = looked
        unread = schema.columns.filter { !looked.contains($0) }
    }

    func sketch() throws -> TableSketch {
        let end = clock() + patience
        var (rows, spread): ([Row], Set<Int>) = ([], [])
        var count: (rows: Int64, precision: TableSketch.Precision)
        if let rowID {
            // Each alone is one search; both in one SELECT would read the whole table.
            let ends =
                try db.row(
                    "SELECT (SELECT min(\(rowID)) FROM \(table)), (SELECT max(\(rowID)) FROM \(table))") ?? []
            let bounds = ends.compactMap { if case .int64(let value) = $0 { value } else { nil } }
            count =
                bounds.count == 2
                ? try self.count(from: bounds[0], to: bounds[1], by: rowID, end) : (0, .exact)
            (rows, spread) =
                bounds.count == 2 ? try look(from: bounds[0], to: bounds[1], by: rowID, end) : ([], [])
        } else {
            rows = try endRows(
                by: schema.keyOrder, last: schema.keyParts.map { $0 + " DESC" }.joined(separator: ", "))
            spread = Set(rows.indices)
            let counted = try db.value(
                "SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT \(Self.mostCounted))")
            count = (counted.integer, counted.integer < Self.mostCounted ? .exact : .atLeast)
        }
        let indexed = try firstIndexedColumns()
        let sketch = TableSketch(
            name: schema.name, rows: count.rows, precision: count.precision,
            bytes: bytes(of: spread.map { rows[$0] }, of: count.rows),
            columns: columns.enumerated().map { index, column in
                self.sketch(
                    column, isIndexed: indexed.contains(column.name.comparedName),
                    rows.map { SketchedValue($0[index]) })
            } + unread.map { self.sketch($0, isIndexed: false, []) },
            references: reached(), spread: spread)
        return try sketch.counting { try counts(of: $0, until: end) }
    }

    /// About how much the values take, by the rows that stand for the table.
    private func bytes(of rows: [Row], of count: Int64) -> Int64? {
        guard !rows.isEmpty else { return nil }
        let seen = rows.reduce(0) { $0 + ($1.last?.integer ?? 0) }
        return Int64(Double(seen) / Double(rows.count) * Double(count))
    }

    /// How many rows have each value of a flag; empty if there is no time.
    private func counts(of column: ColumnSketch, until end: Duration) throws -> [ValueCount] {
        guard let flag = column.flag, clock() < end else { return [] }
        let sql = schema.column(column.name)
        let value =
            switch flag {
            case .values: "iif(typeof(\(sql)) = 'text', substr(\(sql), 1, 40), \(sql))"
            case .presence(let unset): "iif(\(sql) IS NULL OR \(sql) = \(unset.sql ?? "0"), \(sql), x'')"
            }
        return try db.rows(
            "SELECT \(value), count(*) FROM \(table) GROUP BY 1 ORDER BY 2 DESC LIMIT \(ColumnFlag.mostValues + 1)"
        ).map { row in
            let value = SketchedValue(row[0])
            return ValueCount(value == .blob ? nil : value, rows: row[1].integer)
        }
    }

    /// The table of which only the schema is known.
    func outline(obstacle: String) -> TableSketch {
        TableSketch(
            name: schema.name, rows: 0, precision: .atLeast,
            columns: schema.columns.map { sketch($0, isIndexed: false, []) }, references: reached(),
            obstacle: obstacle)
    }

    private func sketch(
        _ column: TableSchema.Column, isIndexed: Bool, _ values: [SketchedValue]
    ) -> ColumnSketch {
        ColumnSketch(
            name: column.name, isKey: isKey(column), refersTo: target(of: column), isIndexed: isIndexed,
            values: values)
    }

    private var table: String { schema.name.quotedIdentifier }

    /// The rowid as SQL; nil if the table is stored by another key.
    private var rowID: String? { schema.isWithoutRowID ? nil : schema.keyParts.first }

    // MARK: - Rows

    /// The columns as SQL. Of a long text only the beginning is read, and of a blob nothing.
    /// The last one says how long all of them are.
    private var list: String {
        let values = columns.map { column in
            let sql = schema.column(column.name)
            return
                "CASE typeof(\(sql)) WHEN 'text' THEN substr(\(sql), 1, 40) WHEN 'blob' THEN x'' ELSE \(sql) END"
        }
        let lengths = columns.map { "coalesce(length(CAST(\(schema.column($0.name)) AS BLOB)), 0)" }
        return (values + [lengths.isEmpty ? "0" : lengths.joined(separator: " + ")]).joined(separator: ", ")
    }

    private func endRows(by order: String, last: String) throws -> [Row] {
        let ends = [(order, Self.firstRows), (last, Self.lastRows)]
        return try ends.flatMap { order, limit in
            try db.rows("SELECT \(list) FROM \(table) ORDER BY \(order) LIMIT \(limit)")
        }
    }

    /// Rows at evenly spread keys, which stand for the table, and the ends of the table.
    private func look(
        from low: Int64, to high: Int64, by rowID: String, _ end: Duration
    ) throws -> (rows: [Row], spread: Set<Int>) {
        let step = UInt64(bitPattern: high &- low) / UInt64(Self.places)
        var (rows, seen): ([Row], Set<Int64>) = ([], [])
        for place in 0..<Self.places {
            guard clock() < end else { break }
            let key = low &+ Int64(bitPattern: step &* UInt64(place))
            let found = try db.rows(
                "SELECT \(rowID), \(list) FROM \(table) WHERE \(rowID) >= :key ORDER BY \(rowID) LIMIT \(Self.rowsAtPlace)",
                ["key": .int64(key)])
            for row in found where seen.insert(row[0].integer).inserted {
                rows.append(Array(row.dropFirst()))
            }
        }
        let spread = Set(rows.indices)
        return (rows + (try endRows(by: rowID, last: rowID + " DESC")), spread)
    }

    // MARK: - Counting

    /// Counts rows until the time is over, and estimates the rest by the density so far.
    private func count(
        from low: Int64, to high: Int64, by rowID: String, _ end: Duration
    ) throws -> (rows: Int64, precision: TableSketch.Precision) {
        let half = clock() + (end - clock()) / 2
        var (counted, after) = (Int64(0), low)
        var isFirst = true
        while clock() < half {
            let chunk = try db.row(
                """
                SELECT count(*), max(key) FROM (SELECT \(rowID) AS key FROM \(table) \
                WHERE \(rowID) \(isFirst ? ">=" : ">") :after ORDER BY \(rowID) LIMIT \(Self.countedAtOnce))
                """, ["after": .int64(after)])
            guard let chunk, case .int64(let last) = chunk[1] else { return (counted, .exact) }
            counted += chunk[0].integer
            (after, isFirst) = (last, false)
            if after == high { return (counted, .exact) }
        }
        let (passed, all) = (Double(after) - Double(low), Double(high) - Double(low))
        guard passed > 0 else { return (max(counted, 1), .about) }
        return (Int64(min(Double(counted) * all / passed, 1e15)), .about)
    }

    // MARK: - Schema

    private func isKey(_ column: TableSchema.Column) -> Bool {
        (schema.key + schema.primaryKey).contains { $0.comparedName == column.name.comparedName }
    }

    private func target(of column: TableSchema.Column) -> String? {
        references.over(schema.name).first { key in
            key.columns.contains { $0.child.comparedName == column.name.comparedName }
        }?.parent.name
    }

    /// What refers to this table, and what a deletion would take along, by whatever way.
    private func reached() -> [ReferenceSketch] {
        var found: Set<ReferenceSketch> = []
        var parents = [schema.name]
        while let parent = parents.popLast() {
            for key in references.under(parent) {
                let isOwn = parent.comparedName == schema.name.comparedName
                let isKey =
                    key.columns.count == 1 && schema.primaryKey.count == 1
                    && key.columns[0].parent.comparedName == schema.primaryKey[0].comparedName
                let reference = ReferenceSketch(
                    table: key.child.name, column: key.columns.first?.child ?? "", cascades: key.cascades,
                    refersToKey: isOwn && isKey)
                guard isOwn || key.cascades else { continue }
                if found.insert(reference).inserted, key.cascades { parents.append(key.child.name) }
            }
        }
        return found.sorted { ($0.table, $0.column) < ($1.table, $1.column) }
    }

    private func firstIndexedColumns() throws -> Set<[UInt8]> {
        let names = try db.rows(
            """
            SELECT (SELECT name FROM pragma_index_xinfo(i.name) WHERE seqno = 0)
            FROM pragma_index_list(:table) AS i WHERE NOT i.partial
            """, ["table": .text(schema.name)])
        return Set(names.map { $0[0].string.comparedName })
    }

    private static let mostColumns = 100
    private static let firstRows = 100
    private static let lastRows = 300
    private static let places = 64
    private static let rowsAtPlace = 5
    private static let countedAtOnce = 5_000
    private static let mostCounted: Int64 = 200_000
}

extension SketchedValue {
    fileprivate init(_ value: DatabaseValue) {
        self =
            switch value {
            case .null: .null
            case .int64(let number): .integer(number)
            case .double(let number): .real(number)
            case .text(let text): .text(text)
            case .blob, .encodedText: .blob
            }
    }
}
