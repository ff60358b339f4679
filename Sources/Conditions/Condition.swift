/// A condition on a row, with columns and tables of the kind that `Names` has: as they are written, or as the catalog has
/// them.
///
/// It is three-valued, as in SQL: TRUE, FALSE or NULL. `BETWEEN`, `NOT IN` and the like are made of these cases.
package indirect enum Condition<Names: ConditionNames>: Equatable, Sendable {
    /// Two values of one class; NULL if either has none.
    case comparison(Operand<Names>, Comparison, Operand<Names>)
    /// Of a column never NULL.
    case isNull(Operand<Names>)
    /// Equal to one of some values.
    case isIn(Operand<Names>, [Operand<Names>])
    /// Equal to the column of one of the rows that a subquery finds.
    case isInQuery(Operand<Names>, Subquery<Names>)
    case isLike(Operand<Names>, LikePattern)
    /// Whether there is such a row: never NULL.
    case exists(Subquery<Names>)
    /// A truth value by itself.
    case isTrue(Operand<Names>)
    case not(Condition)
    case all([Condition])
    case any([Condition])
}

/// What stands for a column and for a table.
package protocol ConditionNames: Equatable, Sendable {
    associatedtype Column: Equatable & Sendable
    associatedtype Table: Equatable & Sendable
}

/// A value of a row, or one that is the same for all.
package indirect enum Operand<Names: ConditionNames>: Equatable, Sendable {
    case column(Names.Column)
    case literal(Literal)
    /// Of integers; NULL if the result has more than 64 bits.
    case arithmetic(Operand, Arithmetic, Operand)
    /// A time, so many seconds later.
    case shifted(Operand, seconds: Int64)
    /// `column->>'key'`: the member of a JSON object, as the other side of the comparison has it.
    case member(Names.Column, key: String)
    case call(Function, [Operand])
    /// From a character on, counted from 1.
    case substring(Operand, from: Int64, count: Int64?)
}

package enum Literal: Equatable, Sendable {
    case null
    case integer(Int64)
    /// A number with a fraction or an exponent, as it is written.
    case decimal(String)
    case text(String)
    case boolean(Bool)
}

package enum Comparison: String, Sendable, CaseIterable {
    case equal = "="
    case unequal = "<>"
    case less = "<"
    case notGreater = "<="
    case greater = ">"
    case notLess = ">="

    /// The comparison that is FALSE where this one is TRUE.
    package var opposite: Comparison {
        switch self {
        case .equal: .unequal
        case .unequal: .equal
        case .less: .notLess
        case .notLess: .less
        case .greater: .notGreater
        case .notGreater: .greater
        }
    }

    /// Whether it asks which value comes first.
    package var isOfOrder: Bool { self != .equal && self != .unequal }
}

package enum Arithmetic: String, Sendable {
    case sum = "+"
    case difference = "-"
    case product = "*"
}

package enum Function: String, Sendable, CaseIterable {
    case coalesce, nullif, abs, length, lower, upper, trim
}

/// Rows of some tables that are joined.
package struct Subquery<Names: ConditionNames>: Equatable, Sendable {
    /// The column that `IN` compares; nil for `SELECT 1`.
    package var column: Names.Column?
    package var tables: [Names.Table]
    /// `WHERE` and each `ON`; nil if all rows are found.
    package var condition: Condition<Names>?

    package init(column: Names.Column?, tables: [Names.Table], condition: Condition<Names>?) {
        (self.column, self.tables, self.condition) = (column, tables, condition)
    }
}

/// Names as they are written.
package enum WrittenNames: ConditionNames {
    package struct Column: Equatable, Sendable {
        package let table: SQLName?
        package let name: SQLName

        package init(table: SQLName?, name: SQLName) { (self.table, self.name) = (table, name) }
    }

    package struct Table: Equatable, Sendable {
        /// The schema; nil if it is not named.
        package let schema: SQLName?
        package let name: SQLName
        package let alias: SQLName?

        package init(schema: SQLName? = nil, name: SQLName, alias: SQLName?) {
            (self.schema, self.name, self.alias) = (schema, name, alias)
        }
    }
}

package typealias WrittenCondition = Condition<WrittenNames>
