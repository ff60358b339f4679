/// A condition of a rule on rows of its table, with the SQL that an engine judges them by.
package struct RowCondition: Equatable, Sendable {
    /// The keys of the condition in the configuration, below the rule.
    package let keys: [String]
    /// As it is written.
    package let text: String
    package let condition: BoundCondition
    /// SQL that is TRUE if it is true, and FALSE if it is false or NULL.
    package let isTrue: String
    /// SQL that is TRUE if it is false, and FALSE if it is true or NULL.
    package let isFalse: String

    package init<Dialect: ConditionDialect>(
        _ condition: BoundCondition, _ text: String, keys: [String], in dialect: Dialect
    ) {
        (self.condition, self.text, self.keys) = (condition, text, keys)
        let sql = ConditionSQL(dialect)
        (isTrue, isFalse) = (sql.text(of: condition, is: true), sql.text(of: condition, is: false))
    }

    /// The same condition on other rows of the tables that it reads: `sql` is what stands in FROM instead of one.
    package func reading<Dialect: ConditionDialect>(
        _ sql: (TypedTable) -> String, in dialect: Dialect
    ) -> RowCondition {
        RowCondition(condition.reading(sql), text, keys: keys, in: dialect)
    }

    /// SQL of one value if the condition is true, of the other if it is false, and NULL if it is neither.
    package func value(true yes: String, false no: String) -> String {
        "CASE WHEN \(isTrue) THEN \(yes) WHEN \(isFalse) THEN \(no) END"
    }

    /// The tables that it reads besides the rule's own.
    package var tables: [TypedTable] {
        condition.subqueries.flatMap(\.tables).map(\.table)
            .reduce(into: []) { found, table in
                // Two texts that are equal may be the names of two tables.
                if !found.contains(where: { $0.sql.utf8.elementsEqual(table.sql.utf8) }) {
                    found.append(table)
                }
            }
    }
}

extension Condition<BoundNames> {
    /// The columns of `table` that subqueries compare with a row around them: what an index can find.
    package func searched(in table: String) -> [String] {
        subqueries.flatMap { query -> [String] in
            let aliases = query.tables.filter { $0.table.name == table }.map(\.alias)
            return (query.condition?.equalities ?? []).flatMap { a, b in
                [(a, b), (b, a)].filter { aliases.contains($0.0.alias) && $0.1.alias != $0.0.alias }
                    .map(\.0.column.name)
            }
        }
    }

    fileprivate func reading(_ sql: (TypedTable) -> String) -> Self {
        switch self {
        case .exists(let query): .exists(query.reading(sql))
        case .isInQuery(let operand, let query): .isInQuery(operand, query.reading(sql))
        case .not(let inner): .not(inner.reading(sql))
        case .all(let terms): .all(terms.map { $0.reading(sql) })
        case .any(let terms): .any(terms.map { $0.reading(sql) })
        case .comparison, .isNull, .isIn, .isLike, .isTrue: self
        }
    }

    private var equalities: [(BoundColumn, BoundColumn)] {
        switch self {
        case .comparison(.column(let a), .equal, .column(let b)): [(a, b)]
        case .all(let terms), .any(let terms): terms.flatMap(\.equalities)
        default: []
        }
    }
}

extension Subquery<BoundNames> {
    fileprivate func reading(_ sql: (TypedTable) -> String) -> Self {
        let tables = tables.map { BoundTable(table: $0.table.reading(sql($0.table)), alias: $0.alias) }
        return Subquery(column: column, tables: tables, condition: condition?.reading(sql))
    }
}

extension TypedTable {
    fileprivate func reading(_ sql: String) -> TypedTable {
        TypedTable(name, in: schema, alias: alias, sql: sql, columns: columns)
    }
}
