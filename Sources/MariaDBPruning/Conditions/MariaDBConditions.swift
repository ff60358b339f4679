import Conditions
import TerminalText

/// Conditions as MariaDB reads them, in a session whose `sql_mode` has ANSI_QUOTES and NO_BACKSLASH_ESCAPES
/// and not ALLOW_INVALID_DATES, whose `time_zone` is `+00:00`, and whose character set is utf8mb4.
///
/// No stored value makes a statement fail: in strict mode, some functions would.
struct MariaDBConditions: ConditionDialect {
    typealias Value = Operand<BoundNames>

    /// ` LOCK IN SHARE MODE` where a subquery must see what others have just committed.
    var subqueryEnd = ""

    func identifier(_ name: String) -> String { name.quoted("\"") }

    func comparison(
        _ a: Value, _ comparison: Comparison, _ b: Value, as type: TypeClass, isLenient: Bool
    ) -> String {
        let sign = comparison.rawValue
        let ways =
            switch type {
            case .text: texts(a, comparison, b, isLenient)
            case .time: [times(a, comparison, b)]
            // UUIDs are stored in another order than the one in which they are written.
            case .uuid where comparison.isOfOrder:
                [[a, b].map { Self.codePoints(sql($0, as: type)) }.joined(separator: " \(sign) ")]
            default: ["\(sql(a, as: type)) \(sign) \(sql(b, as: type))"]
            }
        let whole =
            ways.count == 1 ? ways[0] : "(" + ways.joined(separator: isLenient ? " OR " : " AND ") + ")"
        // Equal values are equal, whatever they are: so an index finds them.
        if isLenient, comparison == .equal, a.isColumn, b.isColumn { return "(\(whole))" }
        let terms = [whole] + guards(of: a, as: type) + guards(of: b, as: type)
        let known = "(" + terms.joined(separator: " AND ") + ")"
        let odd = isLenient ? [a, b].compactMap { lacksValue($0, as: type) } : []
        guard !odd.isEmpty else { return known }
        let areThere = [a, b].filter { !$0.isLiteral }.map(isStored)
        return "(\(known) OR (\(odd.joined(separator: " OR "))) AND \(areThere.joined(separator: " AND ")))"
    }

    func isOdd(_ operand: Value, as type: TypeClass) -> String? { nil }

    func like(_ text: Value, _ pattern: LikePattern, matches: Bool, isLenient: Bool) -> String {
        let folds = matches == isLenient
        let value = folds ? Self.lower(sql(text, as: .text)) : sql(text, as: .text)
        let pattern = folds ? pattern.foldingASCII : pattern
        let match =
            "\(value) \(matches ? "" : "NOT ")LIKE \(pattern.escapedByBackslash.quoted("'")) ESCAPE '\\'"
        let known = "(\(([match] + guards(of: text, as: .text)).joined(separator: " AND ")))"
        guard isLenient, let odd = lacksValue(text, as: .text) else { return known }
        return "(\(known) OR \(odd))"
    }

    func isTruth(_ operand: Value, _ truth: Bool, isLenient: Bool) -> String {
        let terms = ["\(sql(operand, as: .boolean)) = \(truth ? 1 : 0)"] + guards(of: operand, as: .boolean)
        let known = "(\(terms.joined(separator: " AND ")))"
        guard isLenient, let odd = lacksValue(operand, as: .boolean) else { return known }
        return "(\(known) OR \(odd))"
    }

    func isNull(_ operand: Value, _ truth: Bool) -> String {
        switch operand {
        case .column(let column) where column.column.type == .other:
            return "(\(sql(column)) IS \(truth ? "" : "NOT ")NULL)"
        case .column(let column):
            // For some columns IS NULL means something else: a zero date, or the number that was given last.
            return truth ? "(\(sql(column)) <=> NULL)" : "(\(sql(column)) IS NOT NULL)"
        case .member(let column, let key):
            let member = JSONMember(sql(column), key)
            let kind = "CASE WHEN \(member.isValid) THEN \(member.kind) END"
            return "(COALESCE(\(kind), 'NULL') \(truth ? "=" : "<>") 'NULL')"
        default:
            let type = operand.type.own
            let value = self.value(operand, as: type)
            let terms = ["\(value) IS \(truth ? "" : "NOT ")NULL"] + guards(of: operand, as: type)
            return "(" + terms.joined(separator: " AND ") + ")"
        }
    }

    func hasValue(_ operand: Value, as type: TypeClass) -> String {
        let terms = ["\(value(operand, as: type)) IS NOT NULL"] + guards(of: operand, as: type)
        return "((\(terms.joined(separator: " AND "))) IS TRUE)"
    }

    // MARK: - Odd values

    /// SQL that is TRUE where something is stored that is no value of the class; nil if that cannot be.
    private func lacksValue(_ operand: Value, as type: TypeClass) -> String? {
        switch operand {
        case .literal: return nil
        case .member: return "(\(isStored(operand)) AND \(sql(operand, as: type)) IS NULL)"
        default:
            let guards = guards(of: operand, as: type)
            return guards.isEmpty ? nil : "((\(guards.joined(separator: " AND "))) IS FALSE)"
        }
    }

    /// SQL that is TRUE unless there is nothing: what is no JSON has no members, and yet it is something.
    private func isStored(_ operand: Value) -> String {
        guard case .member(let column, let key) = operand else {
            return "\(isNull(operand, true)) IS NOT TRUE"
        }
        let member = JSONMember(sql(column), key)
        return "CASE WHEN \(member.isValid) THEN \(member.kind) <> 'NULL' ELSE \(sql(column)) IS NOT NULL END"
    }

    /// SQL that is FALSE where what the operand is made of is no value of its class.
    private func guards(of operand: Value, as type: TypeClass) -> [String] {
        if case .column(let column) = operand {
            return type == .boolean || type == .time ? [isFit(column)].compactMap(\.self) : []
        }
        // A part that is not there may be none that the whole needs.
        return disagreements(in: operand)
            + operand.columns.compactMap(isFit).map { "(\($0)) IS NOT FALSE" }
    }

    private func isFit(_ column: BoundColumn) -> String? {
        let value = sql(column)
        return switch column.column.type {
        case .boolean: "\(value) IN (0, 1)"
        // A date may have no month or no day, or be one that its month lacks.
        case .time:
            "\(value) >= TIMESTAMP'2000-01-01 00:00:00' AND DATE(\(value)) <=> FROM_DAYS(TO_DAYS(\(value)))"
        default: nil
        }
    }

    /// SQL that is FALSE where `nullif` compares texts that a column takes for equal and code points do not.
    private func disagreements(in operand: Value) -> [String] {
        guard case .call(let function, let values) = operand else { return [] }
        let inner = values.flatMap(disagreements)
        guard function == .nullif, values.allSatisfy({ $0.type.own == .text }) else { return inner }
        let (a, b) = (values[0], values[1])
        return inner
            + collations(of: a, b).map { own in
                "((\(sql(a, as: .text)) = \(sql(b, as: .text))) <=> (\(text(a, own)) = \(text(b, own))))"
            }
    }

    // MARK: - Texts

    /// The comparison as each column compares its own texts, and by code points. Texts that are equal by
    /// these are equal in every way.
    private func texts(_ a: Value, _ comparison: Comparison, _ b: Value, _ isLenient: Bool) -> [String] {
        let collations = collations(of: a, b)
        let own = collations.map { "\(text(a, $0)) \(comparison.rawValue) \(text(b, $0))" }
        let decides = comparison.isOfOrder || comparison == (isLenient ? .unequal : .equal)
        let isIncluded = collations.contains { $0.name == TextCollation.codePoints }
        guard own.isEmpty || decides && !isIncluded else { return own }
        return own + ["\(sql(a, as: .text)) \(comparison.rawValue) \(sql(b, as: .text))"]
    }

    private func collations(of a: Value, _ b: Value) -> [TextCollation] {
        (a.columns + b.columns).map(\.column).filter { $0.type == .text }
            .compactMap { TextCollation($0.detail) }
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The text as a column with this collation compares it: such a column itself, so that its index serves.
    private func text(_ operand: Value, _ own: TextCollation) -> String {
        if case .column(let column) = operand, column.column.detail == own.name { return sql(column) }
        return own.text(sql(operand, as: .text), isOfSet: own.has(operand))
    }

    private static func codePoints(_ text: String) -> String {
        "CONVERT(\(text) USING utf8mb4) COLLATE \(TextCollation.codePoints)"
    }

    private static func lower(_ text: String) -> String { changingASCII("LOWER", text) }

    /// The letters of the Hebrew set beyond ASCII have no case: so a function changes ASCII alone there, and
    /// leaves the other bytes of UTF-8 as they are.
    private static func changingASCII(_ function: String, _ text: String) -> String {
        codePoints("CAST(\(function)(CONVERT(CAST(\(text) AS BINARY) USING hebrew)) AS BINARY)")
    }

    // MARK: - Times

    /// As they are stored, so that an index serves, where both are stored or written.
    private func times(_ a: Value, _ comparison: Comparison, _ b: Value) -> String {
        let values = [a, b].map { operand -> String? in
            switch operand {
            case .column(let column): sql(column)
            case .literal(let literal):
                "(TIMESTAMP'1970-01-01 00:00:00' + INTERVAL \(literal.microseconds) MICROSECOND)"
            default: nil
            }
        }
        if let left = values[0], let right = values[1] { return "\(left) \(comparison.rawValue) \(right)" }
        return "\(microseconds(a)) \(comparison.rawValue) \(microseconds(b))"
    }

    /// The microseconds since 1970, of which no sum is out of range.
    private func microseconds(_ operand: Value) -> String {
        switch operand {
        case .column(let column):
            "TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', \(sql(column)))"
        case .literal(let literal): literal.microseconds
        case .shifted(let value, let seconds): "(\(microseconds(value)) + \(seconds)000000.0)"
        case .call(let function, let values):
            "\(function.rawValue)(\(values.map(microseconds).joined(separator: ", ")))"
        default: "NULL"
        }
    }

    // MARK: - Values

    private func sql(_ column: BoundColumn) -> String {
        column.alias.quoted("\"") + "." + column.column.name.quoted("\"")
    }

    /// What is NULL where the operand is, of any class.
    private func value(_ operand: Value, as type: TypeClass) -> String {
        type == .time ? microseconds(operand) : sql(operand, as: type)
    }

    /// Each text is one that code points compare.
    private func sql(_ operand: Value, as type: TypeClass) -> String {
        switch operand {
        case .column(let column): type == .text ? Self.codePoints(sql(column)) : sql(column)
        case .literal(let literal): literal.sql(as: type)
        case .arithmetic(let a, let operation, let b):
            Self.inRange("(\(number(a)) \(operation.rawValue) \(number(b)))")
        case .shifted: microseconds(operand)
        case .member(let column, let key): JSONMember(sql(column), key).value(as: type)
        case .call(.abs, let values): Self.inRange("ABS(\(number(values[0])))")
        case .call(.length, let values): "CHAR_LENGTH(\(sql(values[0], as: .text)))"
        case .call(.lower, let values): Self.lower(sql(values[0], as: .text))
        case .call(.upper, let values): Self.changingASCII("UPPER", sql(values[0], as: .text))
        case .call(.trim, let values): "TRIM(BOTH ' ' FROM \(sql(values[0], as: .text)))"
        case .call(let function, let values):
            "\(function.rawValue)(\(values.map { sql($0, as: type) }.joined(separator: ", ")))"
        case .substring(let text, let from, let count):
            "SUBSTR(\(sql(text, as: .text)), \(from)\(count.map { ", \($0)" } ?? ""))"
        }
    }

    private func number(_ operand: Value) -> String {
        "CAST(\(sql(operand, as: .integer)) AS DECIMAL(20, 0))"
    }

    private static func inRange(_ number: String) -> String {
        "(CASE WHEN \(number) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN \(number) END)"
    }
}

extension Operand<BoundNames> {
    fileprivate var isColumn: Bool { if case .column = self { true } else { false } }
}

extension LikePattern {
    fileprivate var foldingASCII: LikePattern {
        LikePattern(
            parts.map { part in
                guard case .scalar(let scalar) = part, ("A"..."Z").contains(scalar) else { return part }
                return .scalar(Unicode.Scalar(UInt8(scalar.value + 32)))
            })
    }
}
