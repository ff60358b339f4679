import Conditions
import Retention
import RuleEngine
import SQLite

extension RowConditions {
    /// Throws a ``SchemaMismatch`` if one of them cannot be used.
    init(of rule: RetentionRule, on table: TableSchema, in db: Database) throws {
        try self.init(
            of: rule, on: TypedTable(table), as: table.name, in: SQLiteConditionTables(db: db),
            SQLiteConditions(), check: { try $0.checkOrder(in: db) })
        for condition in all { try condition.checkScans(from: table, in: db) }
    }

    /// Throws a ``SchemaMismatch`` if a table that one of them reads has values that it cannot compare.
    func checkKinds(in db: Database) throws { for condition in all { try condition.checkKinds(in: db) } }
}

extension RowCondition {
    /// Throws if a subquery would read a whole table of many rows for each batch, or even for each row.
    fileprivate func checkScans(from table: TableSchema, in db: Database) throws {
        let read = condition.subqueries.flatMap(\.tables)
        guard !read.isEmpty else { return }
        let steps = try [isTrue, isFalse].flatMap {
            try db.queryPlan(of: "SELECT 1 FROM \(table.itself) WHERE \($0)")
        }
        let scanned = Set(
            steps.filter { $0.hasPrefix("SCAN ") }.compactMap { $0.split(separator: " ").dropFirst().first })
        for other in read where scanned.contains(Substring(other.alias)) || other.alias.contains(" ") {
            guard try !db.hasFewRows(other.table.name) else { continue }
            throw scans(
                other.table.name,
                hint: "create an index on the column of \(other.table.name) that it compares")
        }
    }

    /// Throws if another table has a value of another kind where a subquery compares it: whether there is a row cannot be told
    /// then.
    fileprivate func checkKinds(in db: Database) throws {
        var seen: Set<String> = []
        for query in condition.subqueries {
            for (operand, type) in query.condition?.judged ?? [] {
                guard let alias = operand.columns.first?.alias,
                    operand.columns.allSatisfy({ $0.depth > 0 && $0.alias == alias }),
                    let table = query.tables.first(where: { $0.alias == alias })?.table,
                    let isOdd = SQLiteConditions().isOdd(operand, as: type), seen.insert(isOdd).inserted,
                    let column = operand.columns.first?.column.name
                else { continue }
                let found = try db.rows(
                    """
                    SELECT typeof(\(alias.quotedIdentifier).\(column.quotedIdentifier)) \
                    FROM \(table.sql) AS \(alias.quotedIdentifier) WHERE \(isOdd) LIMIT 1
                    """)
                guard let kind = found.first?[0].string else { continue }
                throw refusal(
                    "reads \(table.name).\(column), which has a value of another kind (\(kind))",
                    hint: "correct the value, or compare another column")
            }
        }
    }
}

extension Condition<BoundNames> {
    /// Throws a ``ConditionError`` if it asks which of two texts comes first in a database of UTF-16, whose order is not
    /// that of code points.
    fileprivate func checkOrder(in db: Database) throws {
        guard comparesOrderOfTexts, try db.value("PRAGMA encoding").string != "UTF-8" else { return }
        throw ConditionError(
            "asks which of two texts comes first, and the database is in UTF-16",
            hint: "compare them by = or LIKE")
    }

    private var comparesOrderOfTexts: Bool {
        switch self {
        case .comparison(let a, let comparison, let b):
            // Beside a number, of values of any kind only the numbers are compared.
            comparison.isOfOrder && [.text, .loose].contains(a.common(with: b))
                && [a, b].allSatisfy { [.text, .loose].contains($0.type.own) }
        case .exists(let query), .isInQuery(_, let query): query.condition?.comparesOrderOfTexts ?? false
        case .not(let inner): inner.comparesOrderOfTexts
        case .all(let terms), .any(let terms): terms.contains(where: \.comparesOrderOfTexts)
        default: false
        }
    }
}
