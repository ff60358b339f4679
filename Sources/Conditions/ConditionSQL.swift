/// How an engine writes the parts of a condition.
///
/// Texts that an engine compares in more than one way may be equal in one and differ in another: there a comparison is
/// NULL. With `isLenient` it is TRUE instead: one way is enough.
///
/// A value of another kind than its column is for makes a comparison NULL, too, and EXISTS would hide that: see
/// ``isOdd(_:as:)``.
package protocol ConditionDialect {
    /// SQL that is TRUE where the comparison is TRUE, and only there.
    func comparison(
        _ a: Operand<BoundNames>, _ comparison: Comparison, _ b: Operand<BoundNames>, as type: TypeClass,
        isLenient: Bool
    ) -> String
    /// SQL that is TRUE where the text matches, or where it does not.
    func like(_ text: Operand<BoundNames>, _ pattern: LikePattern, matches: Bool, isLenient: Bool) -> String
    /// SQL that is TRUE where the operand is this truth value.
    func isTruth(_ operand: Operand<BoundNames>, _ truth: Bool, isLenient: Bool) -> String
    /// SQL that is TRUE where nothing is stored, or where something is.
    func isNull(_ operand: Operand<BoundNames>, _ truth: Bool) -> String
    /// SQL that is TRUE where the operand has a value of the class, and FALSE elsewhere.
    func hasValue(_ operand: Operand<BoundNames>, as type: TypeClass) -> String
    /// SQL that is TRUE where something is stored and has no value of the class, so that no comparison with it is TRUE or
    /// FALSE; nil if that cannot be, or if a lenient comparison is TRUE then.
    func isOdd(_ operand: Operand<BoundNames>, as type: TypeClass) -> String?
    func identifier(_ name: String) -> String
    /// What follows a subquery's conditions.
    var subqueryEnd: String { get }
}

extension ConditionDialect {
    package var subqueryEnd: String { "" }
}

/// Two renderings of a condition: SQL that is TRUE where it is TRUE, and SQL that is TRUE where it is FALSE.
///
/// `NOT` swaps the two. Nothing but EXISTS, which is never NULL, is negated in SQL.
package struct ConditionSQL<Dialect: ConditionDialect> {
    private let dialect: Dialect

    package init(_ dialect: Dialect) { self.dialect = dialect }

    /// SQL that is TRUE where `condition` is `truth`, and FALSE elsewhere.
    package func text(of condition: BoundCondition, is truth: Bool) -> String {
        "(\(text(of: condition, Wanted(truth: truth, isLenient: false)))) IS TRUE"
    }

    private struct Wanted {
        let truth: Bool
        /// Whether a comparison that is NULL because two ways of comparing disagree is as wanted.
        let isLenient: Bool
        /// How many subqueries are around.
        var depth = 0

        var negated: Wanted { Wanted(truth: !truth, isLenient: isLenient, depth: depth) }
        /// In a subquery, what makes a row stay is a match, and what makes it go is none: rows go where the whole is TRUE.
        var inSubquery: Bool { truth == isLenient }
    }

    private func text(of condition: BoundCondition, _ wanted: Wanted) -> String {
        switch condition {
        case .comparison(let a, let comparison, let b):
            return compared(a, wanted.truth ? comparison : comparison.opposite, b, wanted.isLenient)
        case .isNull(let operand): return dialect.isNull(operand, wanted.truth)
        case .isIn(let operand, let values):
            return joined(
                values.map { compared(operand, wanted.truth ? .equal : .unequal, $0, wanted.isLenient) },
                by: wanted.truth ? "OR" : "AND")
        case .isInQuery(let operand, let query): return membership(of: operand, in: query, wanted)
        case .isLike(let operand, let pattern):
            guard operand.type != .null else { return Self.never }
            return dialect.like(operand, pattern, matches: wanted.truth, isLenient: wanted.isLenient)
        case .exists(let query):
            return (wanted.truth ? "" : "NOT ") + exists(query, wanted)
        case .isTrue(let operand):
            guard operand.type != .null else { return Self.never }
            return dialect.isTruth(operand, wanted.truth, isLenient: wanted.isLenient)
        case .not(let inner): return text(of: inner, wanted.negated)
        case .all(let terms):
            return joined(terms.map { text(of: $0, wanted) }, by: wanted.truth ? "AND" : "OR")
        case .any(let terms):
            return joined(terms.map { text(of: $0, wanted) }, by: wanted.truth ? "OR" : "AND")
        }
    }

    private static var never: String { "(1 = 0)" }

    private func compared(
        _ a: Operand<BoundNames>, _ comparison: Comparison, _ b: Operand<BoundNames>, _ isLenient: Bool
    ) -> String {
        guard a.type != .null, b.type != .null else { return Self.never }
        return dialect.comparison(a, comparison, b, as: a.common(with: b), isLenient: isLenient)
    }

    /// A flat list of many terms would nest as deep as it is long.
    private func joined(_ terms: [String], by word: String) -> String {
        guard terms.count > 1 else { return terms.first ?? Self.never }
        guard terms.count > 8 else { return "(" + terms.joined(separator: " \(word) ") + ")" }
        let half = terms.count / 2
        return "(" + joined(Array(terms[..<half]), by: word) + " \(word) "
            + joined(Array(terms[half...]), by: word) + ")"
    }

    /// Whether the query has a row. Where that makes a row stay, an odd value of the row itself is enough: to look for a row that
    /// it might belong to would read all of them.
    private func exists(_ query: Subquery<BoundNames>, _ wanted: Wanted, and more: String? = nil) -> String {
        let inner = Wanted(truth: true, isLenient: wanted.inSubquery, depth: wanted.depth + 1)
        let rows = "EXISTS (SELECT 1 FROM \(source(of: query, inner, and: more)))"
        guard inner.isLenient else { return rows }
        let odd = (query.condition?.judged ?? []).filter { operand, _ in
            !operand.columns.isEmpty && operand.columns.allSatisfy { $0.depth <= wanted.depth }
        }.compactMap { dialect.isOdd($0, as: $1) }
        let unique = odd.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return unique.isEmpty ? rows : "(\(rows) OR (\(joined(unique, by: "OR"))) IS TRUE)"
    }

    private func source(
        of query: Subquery<BoundNames>, _ wanted: Wanted, and more: String? = nil
    ) -> String {
        let tables = query.tables.map { "\($0.table.sql) AS \(dialect.identifier($0.alias))" }
        let condition = query.condition.map { text(of: $0, wanted) }
        let terms = [condition, more].compactMap(\.self)
        return tables.joined(separator: " CROSS JOIN ")
            + (terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")) + dialect.subqueryEnd
    }

    /// TRUE: a row is equal. FALSE: none is, none has no value, and there is a value to compare, or no row at all.
    private func membership(
        of operand: Operand<BoundNames>, in query: Subquery<BoundNames>, _ wanted: Wanted
    ) -> String {
        guard let column = query.column else { return Self.never }
        let equal = compared(operand, .equal, .column(column), wanted.inSubquery)
        let found = exists(query, wanted, and: equal)
        if wanted.truth { return found }
        let type = operand.common(with: .column(column))
        if type == .loose {
            // Whether two values are of one kind is asked of each two.
            let unequal = compared(operand, .unequal, .column(column), wanted.isLenient)
            return "NOT \(exists(query, wanted, and: "(\(unequal)) IS NOT TRUE"))"
        }
        let unknown = "NOT \(dialect.hasValue(.column(column), as: type))"
        let any = "NOT \(exists(query, wanted))"
        let hasValue = operand.type == .null ? Self.never : dialect.hasValue(operand, as: type)
        return
            "(NOT \(found) AND NOT \(exists(query, wanted, and: unknown))"
            + " AND (\(hasValue) OR \(any)))"
    }
}
