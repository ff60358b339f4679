import TerminalText

/// The rows of another table that are deleted with a row of a rule's table, as a condition of the rule may read them.
///
/// A condition may not depend on what the run deletes. It may read the rows that go with the row that it judges: the
/// deletion of another row does not change these. Each subquery that reads the table must join it, by AND, to the judged
/// row, by all columns of the foreign key.
package struct OwnDependents: Sendable {
    private let owner: String
    /// The table whose rows are deleted with those of the owner, as the catalog has it.
    private let table: String
    /// The columns of both that are equal, as the catalog has them.
    private let columns: [(own: String, owners: String)]

    package init(of owner: String, in table: String, by columns: [(own: String, owners: String)]) {
        (self.owner, self.table, self.columns) = (owner, table, columns)
    }

    /// A condition that is true of a row that has dependents, and that ``areAllThatIsRead(by:)`` accepts.
    package var existence: String {
        let terms = columns.map { "\(table).\($0.own) = \(owner).\($0.owners)" }
        return "EXISTS (SELECT 1 FROM \(table) WHERE \(terms.joined(separator: " AND ")))"
    }

    /// Whether the condition reads no other rows of the table.
    package func areAllThatIsRead(by condition: BoundCondition) -> Bool {
        condition.subqueries.allSatisfy { query in
            query.tables.filter { $0.table.name == table }.allSatisfy { read in
                let terms = query.condition?.conjunction ?? []
                return columns.allSatisfy { column in
                    terms.contains { $0.joins(read.alias, column.own, to: column.owners) }
                }
            }
        }
    }
}

extension Condition<BoundNames> {
    /// The terms that are all true where it is.
    fileprivate var conjunction: [BoundCondition] {
        if case .all(let terms) = self { terms.flatMap(\.conjunction) } else { [self] }
    }

    /// Whether it is true only where the column of the table in scope equals that of the row that is judged.
    fileprivate func joins(_ alias: String, _ own: String, to owners: String) -> Bool {
        guard case .comparison(.column(let a), .equal, .column(let b)) = self else { return false }
        func isJoin(_ inner: BoundColumn, _ outer: BoundColumn) -> Bool {
            inner.depth > 0 && inner.alias == alias && inner.column.name == own && outer.depth == 0
                && outer.column.name == owners
        }
        return isJoin(a, b) || isJoin(b, a)
    }
}
