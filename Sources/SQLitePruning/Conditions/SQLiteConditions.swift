import Conditions
import TerminalText

/// Conditions as SQLite reads them.
///
/// A column may hold a value of any kind, and numbers come before texts, and texts before blobs: the kind of a value is a
/// range. What is asked of a column's kind has a plus before it, which keeps that off the column's index.
struct SQLiteConditions: ConditionDialect {
    typealias Value = Operand<BoundNames>

    func identifier(_ name: String) -> String { name.quotedIdentifier }

    func comparison(
        _ a: Value, _ comparison: Comparison, _ b: Value, as type: TypeClass, isLenient: Bool
    ) -> String {
        var (left, right) = (sql(a, as: type), sql(b, as: type))
        if type == .loose {
            // A number is compared with a text that looks like one if the column of one of them has an affinity.
            let isPlus = { (own: Value, other: Value) in
                comparison.isOfOrder || own.isColumn && other.isColumn && own.depth < other.depth
            }
            let plus = (isPlus(a, b), isPlus(b, a))
            if plus.0 { left = "+" + left }
            if plus.1 { right = "+" + right }
        }
        let ways = type == .text || type == .loose ? collations(of: a, b) : []
        let whole = joined(ways, isOfOrder: comparison.isOfOrder, isLenient, comparison) { way in
            // On the left, it is obeyed whatever stands in the operands.
            "\(left)\(way.map { " COLLATE " + $0.quotedIdentifier } ?? "") \(comparison.rawValue) \(right)"
        }
        return "(" + ([whole] + kinds(a, b, as: type)).joined(separator: " AND ") + ")"
    }

    /// The comparison in each way, all or any of which must be true. Texts that are equal by their code points are equal in
    /// every way.
    private func joined(
        _ own: [String], isOfOrder: Bool, _ isLenient: Bool, _ comparison: Comparison,
        _ sql: (String?) -> String
    ) -> String {
        guard !own.isEmpty else { return sql(nil) }
        let ways =
            isOfOrder || comparison == (isLenient ? .unequal : .equal)
            ? own + ["BINARY"] : own
        guard ways.count > 1 else { return sql(ways[0]) }
        // SQLite takes two equations of one column, joined by OR, for one IN, and obeys the collation of neither.
        return isLenient
            ? "(" + ways.map { "(\(sql($0)))" }.joined(separator: " + ") + ") > 0"
            : ways.map(sql).joined(separator: " AND ")
    }

    func like(_ text: Value, _ pattern: LikePattern, matches: Bool, isLenient: Bool) -> String {
        let value = sql(text, as: .text)
        // GLOB minds case, LIKE does not mind it in ASCII.
        let glob = "GLOB \(pattern.glob.quoted("'"))"
        let like = "LIKE \(pattern.escapedByBackslash.quoted("'")) ESCAPE '\\'"
        let match = matches == isLenient ? like : glob
        let isWhole = "instr(\(value), char(0)) = 0"
        return "("
            + (["\(value) \(matches ? "" : "NOT ")\(match)", isWhole] + kinds(of: text, as: .text))
            .joined(separator: " AND ") + ")"
    }

    func isTruth(_ operand: Value, _ truth: Bool, isLenient: Bool) -> String {
        let terms = ["\(sql(operand, as: .boolean)) = \(truth ? 1 : 0)"] + leafKinds(of: operand)
        return "(" + terms.joined(separator: " AND ") + ")"
    }

    func isNull(_ operand: Value, _ truth: Bool) -> String {
        let value: String
        if case .member(let column, let key) = operand {
            let member = "json_extract(\(sql(column)), \(path(key)))"
            // SQLite does not find a key that is written with escapes: then nothing is known of a missing one.
            let isKnown = "\(member) IS NOT NULL OR instr(\(sql(column)), '\\u') = 0"
            value =
                "CASE WHEN json_valid(\(sql(column))) THEN CASE WHEN \(isKnown) THEN \(member) ELSE \(unknown(truth)) END END"
        } else {
            value = sql(operand, as: .text)
        }
        let terms = ["\(value) IS \(truth ? "" : "NOT ")NULL"] + leafKinds(of: operand)
        return "(" + terms.joined(separator: " AND ") + ")"
    }

    /// A value for which `IS NULL`, or `IS NOT NULL`, is not TRUE.
    private func unknown(_ isNull: Bool) -> String { isNull ? "1" : "NULL" }

    func hasValue(_ operand: Value, as type: TypeClass) -> String {
        let terms = ["\(sql(operand, as: type)) IS NOT NULL"] + kinds(of: operand, as: type)
        return "((\(terms.joined(separator: " AND "))) IS TRUE)"
    }

    /// A lenient comparison with other values of the column could use no index. So a store whose other tables have such values
    /// is refused, and of the row itself it is asked once.
    func isOdd(_ operand: Value, as type: TypeClass) -> String? {
        switch operand {
        case .literal: return nil
        case .column(let column): return isOdd(column, as: type)
        case .member(let column, let key):
            let (text, path) = (sql(column), path(key))
            let stored = "NOT json_valid(\(text)) OR json_extract(\(text), \(path)) IS NOT NULL"
            return "(\(text) IS NOT NULL AND (\(stored)) AND \(sql(operand, as: type)) IS NULL)"
        default:
            let kinds = leafKinds(of: operand)
            return kinds.isEmpty ? nil : "(NOT (\(kinds.joined(separator: " AND "))))"
        }
    }

    private func isOdd(_ column: BoundColumn, as type: TypeClass) -> String? {
        let value = sql(column)
        return switch type {
        case .text: "(\(value) < '' OR \(value) >= x'')"
        case .boolean: "(\(value) NOT IN (0, 1))"
        case .json, .loose, .other: nil
        default: "(\(value) >= '')"
        }
    }

    // MARK: - Kinds

    private func kinds(_ a: Value, _ b: Value, as type: TypeClass) -> [String] {
        guard type == .loose else { return kinds(of: a, as: type) + kinds(of: b, as: type) }
        let both = { (type: TypeClass) in
            [a, b].filter(\.isLoose).flatMap { kinds(of: $0, as: type) }.joined(separator: " AND ")
        }
        switch [a, b].lazy.filter({ !$0.isLoose }).map(\.type).first {
        case .value(.text): return kinds(a, b, as: .text)
        case nil: return ["(\(both(.integer)) OR \(both(.text)) OR \(areBlobs(a, b)))"]
        default: return kinds(a, b, as: .integer)
        }
    }

    private func areBlobs(_ a: Value, _ b: Value) -> String {
        [a, b].map { "+\(sql($0, as: .loose)) >= x''" }.joined(separator: " AND ")
    }

    /// SQL that is TRUE where the value is of a kind of the class.
    private func kinds(of operand: Value, as type: TypeClass) -> [String] {
        guard case .column(let column) = operand else { return leafKinds(of: operand) }
        let value = "+" + sql(column)
        return switch type {
        case .text: ["\(value) >= ''", "\(value) < x''"]
        case .boolean: ["\(value) IN (0, 1)"]
        default: ["\(value) < ''"]
        }
    }

    /// What a value is made of may be of another kind: nothing is known of the whole then.
    private func leafKinds(of operand: Value) -> [String] {
        switch operand {
        case .column, .literal, .member: []
        default:
            disagreements(in: operand)
                + operand.columns.compactMap { column in
                    switch column.column.type {
                    case .json: nil
                    // SQLite's functions see no text behind a NUL.
                    case .text:
                        "typeof(\(sql(column))) IN ('text', 'null') AND instr(coalesce(\(sql(column)), ''), char(0)) = 0"
                    case .boolean: "coalesce(\(sql(column)), 0) IN (0, 1)"
                    default: "typeof(\(sql(column))) IN ('integer', 'real', 'null')"
                    }
                }
        }
    }

    /// SQL that is FALSE where `nullif` compares texts that a column takes for equal and code points do not.
    private func disagreements(in operand: Value) -> [String] {
        guard case .call(let function, let values) = operand else { return [] }
        let inner = values.flatMap(disagreements)
        guard function == .nullif, values.allSatisfy({ [.text, .loose].contains($0.type.own) }) else {
            return inner
        }
        let (a, b) = (sql(values[0], as: .text), sql(values[1], as: .text))
        return inner
            + collations(of: values[0], values[1]).map { way in
                "((\(a)) COLLATE BINARY = (\(b))) IS ((\(a)) COLLATE \(way.quotedIdentifier) = (\(b)))"
            }
    }

    /// The ways in which the columns compare two texts, but for code points.
    private func collations(of a: Value, _ b: Value) -> [String] {
        let own = (a.columns + b.columns).map(\.column.detail).filter { !$0.isEmpty }
        return own.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    // MARK: - Values

    private func sql(_ column: BoundColumn) -> String {
        column.alias.quotedIdentifier + "." + column.column.name.quotedIdentifier
    }

    private func path(_ key: String) -> String { "$.\"\(key)\"".quoted("'") }

    private func sql(_ operand: Value, as type: TypeClass) -> String {
        switch operand {
        case .column(let column): sql(column)
        case .literal(let literal): sql(literal)
        // What has more than 64 bits becomes a real, and so does what is made of it.
        case .arithmetic, .call(.abs, _):
            "(CASE WHEN typeof(\(number(operand))) = 'integer' THEN \(number(operand)) END)"
        case .shifted(let value, _): sql(value, as: .time)
        case .member(let column, let key): member(sql(column), path(key), as: type)
        case .call(let function, let values):
            switch function {
            case .nullif where values.allSatisfy { $0.type == .value(.text) }:
                "nullif((\(sql(values[0], as: type))) COLLATE BINARY, \(sql(values[1], as: type)))"
            default:
                "\(function.rawValue)(\(values.map { "(\(sql($0, as: type)))" }.joined(separator: ", ")))"
            }
        case .substring(let text, let from, let count):
            "substr((\(sql(text, as: .text))), \(from)\(count.map { ", \($0)" } ?? ""))"
        }
    }

    private func sql(_ literal: Literal) -> String {
        switch literal {
        case .null: "NULL"
        case .integer(let number): "\(number)"
        case .decimal(let number): number
        case .text(let text): text.quoted("'")
        case .boolean(let truth): truth ? "1" : "0"
        }
    }

    /// Without a check of its size. The least integer has no absolute value: SQLite fails.
    private func number(_ operand: Value) -> String {
        switch operand {
        case .arithmetic(let a, let operation, let b): "(\(number(a)) \(operation.rawValue) \(number(b)))"
        case .call(.abs, let values):
            "CASE WHEN \(number(values[0])) > -9223372036854775808 THEN abs(\(number(values[0]))) END"
        default: "(\(sql(operand, as: .integer)))"
        }
    }

    /// Nothing but JSON may be asked for a member: SQLite fails.
    private func member(_ column: String, _ path: String, as type: TypeClass) -> String {
        let value = "json_extract(\(column), \(path))"
        let kinds =
            switch type {
            case .boolean: "WHEN 'true' THEN 1 WHEN 'false' THEN 0"
            case .integer:
                "WHEN 'integer' THEN CASE WHEN \(value) BETWEEN -999999999999999999 AND 999999999999999999 THEN \(value) END"
            default: "WHEN 'text' THEN \(value)"
            }
        return "(CASE WHEN json_valid(\(column)) THEN CASE json_type(\(column), \(path)) \(kinds) END END)"
    }
}

extension Operand<BoundNames> {
    fileprivate var isColumn: Bool { if case .column = self { true } else { false } }
    fileprivate var isLoose: Bool { type == .value(.loose) }
    fileprivate var depth: Int { columns.first?.depth ?? 0 }
}

extension LikePattern {
    /// As GLOB has it. What GLOB has other uses for stands in brackets.
    fileprivate var glob: String {
        text(one: "?", any: "*") { scalar in ["*", "?", "["].contains(scalar) ? "[\(scalar)]" : "\(scalar)" }
    }
}
