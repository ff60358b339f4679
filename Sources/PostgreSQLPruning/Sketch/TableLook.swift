import Retention

/// Looks at some rows of a table: the first and the last of its file, and some that are spread evenly over it.
struct TableLook {
    /// The table as rules write it.
    var name: String { relation.description }
    private let relation: Relation
    /// Why its rows cannot be looked at; nil if they can.
    var obstacle: String? {
        relation.isDistributed
            ? "its rows are on the workers of Citus and are not looked at; pruned-postgresql(7) says what a rule needs"
            : nil
    }
    /// With its schema, for a condition is read under that of the rule's table.
    private var sqlName: String { relation.schema.nameInSQL + "." + relation.name.nameInSQL }
    /// The tables that have the rows.
    private let leaves: [Relation]
    /// The columns that are looked at.
    private let columns: [SketchedColumn]
    private let references: [ReferenceSketch]
    private let targets: [String: String]
    private let indexed: Set<String>

    /// Reads the schema.
    init(_ table: UInt32, in connection: Connection) throws {
        let relation = try connection.relation(table)
        self.relation = relation
        leaves = try connection.leaves(of: relation)
        columns = relation.columns.prefix(Self.mostColumns).map { SketchedColumn($0, of: relation) }
        references = try connection.referenceSketches(to: relation)
        var targets: [String: String] = [:]
        for key in try connection.foreignKeys(of: table) {
            let parent = try connection.relation(key.parent).description
            for column in key.childColumns where targets[column] == nil { targets[column] = parent }
        }
        self.targets = targets
        indexed = try connection.firstIndexedColumns(of: table)
    }

    /// Throws a ``SchemaMismatch`` if that would run code of the table's owner.
    func sketch(in connection: Connection) throws -> TableSketch {
        try ReachedCode.checkReading(relation, in: connection)
        let pages = try leaves.map { try connection.pages(of: $0) }
        let count = try RowCount(of: relation, leaves, pages: pages.reduce(0, +)).take(in: connection)
        var (rows, spread): ([[SketchedValue]], Set<Int>) = ([], [])
        for (leaf, pages) in Self.chosen(zip(leaves, pages).filter { $0.1 > 0 }) {
            let places = Self.places / Int64(max(1, min(leaves.count, Self.mostLeaves)))
            let found = try values(spreadOver: leaf, pages: pages, places: places, in: connection)
            spread.formUnion(rows.count..<rows.count + found.count)
            rows += found
        }
        if let (leaf, pages) = zip(leaves, pages).first(where: { $0.1 > 0 }), pages > Self.places {
            rows += try values(of: leaf, from: 0, limit: Self.firstRows, in: connection)
        }
        if let (leaf, pages) = zip(leaves, pages).reversed().first(where: { $0.1 > 0 }) {
            rows += try values(
                of: leaf, from: max(0, pages - Self.lastPages), limit: Self.lastRows, isLast: true,
                in: connection)
        }
        return TableSketch(
            name: name, sqlName: sqlName, rowName: relation.name.nameInSQL, rows: count.rows,
            precision: count.precision,
            bytes: try leaves.reduce(0) { try $0 + connection.bytes(of: $1) },
            columns: columns.enumerated().map { index, column in sketch(column, rows.map { $0[index] }) }
                + relation.columns.dropFirst(columns.count).map {
                    sketch(SketchedColumn($0, of: relation), [])
                },
            references: references, spread: spread)
    }

    /// How many rows have each value of a flag.
    func counts(of column: ColumnSketch, in connection: Connection) throws -> [ValueCount] {
        guard let flag = column.flag, let own = columns.first(where: { $0.name == column.name }) else {
            return []
        }
        let grouped = { (sql: String) in
            "SELECT \(sql), count(*) FROM \(relation.sql) AS \(relation.alias) GROUP BY 1 ORDER BY 2 DESC"
                + " LIMIT \(ColumnFlag.mostValues + 1)"
        }
        switch flag {
        case .values:
            let found = try connection.query(grouped(own.sql))
            return found.rows.map { ValueCount(own.value(of: $0[0]), rows: $0[1].flatMap { Int64($0) } ?? 0) }
        case .presence(let unset):
            var isSet = "(\(own.sql)) IS NOT NULL"
            if case .text(let text) = unset { isSet += " AND (\(own.sql)) <> \(text.quotedLiteral)" }
            if case .integer = unset { isSet += " AND (\(own.sql))::numeric <> 0" }
            let found = try connection.query(grouped(isSet))
            return found.rows.map {
                ValueCount($0[0] == "t" ? nil : unset, rows: $0[1].flatMap { Int64($0) } ?? 0)
            }
        }
    }

    /// The table of which only the schema is known.
    func outline(obstacle: String) -> TableSketch {
        TableSketch(
            name: name, sqlName: sqlName, rowName: relation.name.nameInSQL, rows: 0, precision: .atLeast,
            columns: relation.columns.map { sketch(SketchedColumn($0, of: relation), []) },
            references: references, obstacle: obstacle)
    }

    private func sketch(_ column: SketchedColumn, _ values: [SketchedValue]) -> ColumnSketch {
        ColumnSketch(
            name: column.name, type: column.type, isKey: relation.primaryKey.contains(column.name),
            refersTo: targets[column.name], isIndexed: indexed.contains(column.name), values: values)
    }

    // MARK: - Rows

    /// Of many partitions: the first, the last, and some between.
    private static func chosen(_ leaves: [(Relation, Int64)]) -> [(Relation, Int64)] {
        guard leaves.count > mostLeaves else { return leaves }
        return (0..<mostLeaves).map { leaves[$0 * (leaves.count - 1) / (mostLeaves - 1)] }
    }

    /// Rows at evenly spread pages. All places are read by one statement.
    private func values(
        spreadOver leaf: Relation, pages: Int64, places: Int64, in connection: Connection
    ) throws -> [[SketchedValue]] {
        let count = max(1, min(pages, places))
        let limit = count < places ? Self.rowsOfPage * places / count : Self.rowsOfPage
        let parts = (0..<count).map { place in
            let page = place * pages / count
            return "(\(select(leaf)) WHERE \(Self.range(page, page + 1, of: relation)) LIMIT \(limit))"
        }
        return try connection.query(parts.joined(separator: " UNION ALL ")).rows.map(values)
    }

    private func values(
        of leaf: Relation, from page: Int64, limit: Int, isLast: Bool = false, in connection: Connection
    ) throws -> [[SketchedValue]] {
        let order = isLast ? " ORDER BY \(relation.alias).ctid DESC" : ""
        let range = Self.range(page, page + Self.lastPages, of: relation)
        return try connection.query("\(select(leaf)) WHERE \(range)\(order) LIMIT \(limit)").rows.map(values)
    }

    private func select(_ leaf: Relation) -> String {
        "SELECT \(columns.map(\.sql).joined(separator: ", ")) FROM ONLY \(leaf.sql) AS \(relation.alias)"
    }

    private static func range(_ first: Int64, _ end: Int64, of relation: Relation) -> String {
        let tid = relation.alias + ".ctid"
        return "\(tid) >= '(\(first),0)'::tid AND \(tid) < '(\(end),0)'::tid"
    }

    private func values(of row: [String?]) -> [SketchedValue] {
        zip(columns, row).map { $0.value(of: $1) }
    }

    private static let mostColumns = 100
    private static let mostLeaves = 8
    private static let places: Int64 = 64
    private static let rowsOfPage: Int64 = 5
    private static let firstRows = 100
    private static let lastRows = 300
    private static let lastPages: Int64 = 20
}
