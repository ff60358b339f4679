import Conditions
import TerminalText

/// Conditions as PostgreSQL reads them, with nothing but `pg_catalog` on the search path.
struct PostgreSQLConditions: ConditionDialect {
    typealias Value = Operand<BoundNames>

    func identifier(_ name: String) -> String { name.quotedIdentifier }

    func comparison(
        _ a: Value, _ comparison: Comparison, _ b: Value, as type: TypeClass, isLenient: Bool
    ) -> String {
        var terms: [String]
        switch type {
        case .text:
            let ways = texts(a, comparison, b)
            terms = [
                ways.count == 1 ? ways[0] : "(" + ways.joined(separator: isLenient ? " OR " : " AND ") + ")"
            ]
        case .time:
            let target = timeType(a, b)
            terms = ["\(time(a, as: target)) \(comparison.rawValue) \(time(b, as: target))"]
        default: terms = ["\(sql(a, as: type)) \(comparison.rawValue) \(sql(b, as: type))"]
        }
        // Equal values are equal, whatever they are: so an index finds them.
        if isLenient, comparison == .equal, a.isColumn, b.isColumn {
            return "(" + terms.joined(separator: " AND ") + ")"
        }
        terms += guards(of: a) + guards(of: b)
        let known = "(" + terms.joined(separator: " AND ") + ")"
        let odd = isLenient ? [a, b].compactMap { lacksValue($0, as: type) } : []
        guard !odd.isEmpty else { return known }
        let areThere = [a, b].filter { !$0.isLiteral }.map { "\(isNull($0, true)) IS NOT TRUE" }
        return "(\(known) OR (\(odd.joined(separator: " OR "))) AND \(areThere.joined(separator: " AND ")))"
    }

    /// SQL that is TRUE where something is stored that is no value of the class; nil if that cannot be.
    private func lacksValue(_ operand: Value, as type: TypeClass) -> String? {
        switch operand {
        case .literal: return nil
        case .member(let column, let key):
            let stored = "(\(sql(column)) ->> \(key.quotedLiteral)) IS NOT NULL"
            return "(\(stored) AND \(sql(operand, as: type)) IS NULL)"
        default:
            let guards = guards(of: operand)
            return guards.isEmpty ? nil : "((\(guards.joined(separator: " AND "))) IS FALSE)"
        }
    }

    func isOdd(_ operand: Value, as type: TypeClass) -> String? { nil }

    func like(_ text: Value, _ pattern: LikePattern, matches: Bool, isLenient: Bool) -> String {
        let value = sql(text, as: .text)
        let pattern = pattern.escapedByBackslash.quotedLiteral
        let folds = matches == isLenient
        let (left, right) = folds ? (Self.lower(value), Self.lower(pattern)) : (value, pattern)
        let match = "(\(left)) COLLATE \"C\" \(matches ? "" : "NOT ")LIKE \(right)"
        let known = "(\(([match] + guards(of: text)).joined(separator: " AND ")))"
        guard isLenient, let odd = lacksValue(text, as: .text) else { return known }
        return "(\(known) OR \(odd))"
    }

    func isTruth(_ operand: Value, _ truth: Bool, isLenient: Bool) -> String {
        let known = "(\(sql(operand, as: .boolean)) = \(truth ? "TRUE" : "FALSE"))"
        guard isLenient, let odd = lacksValue(operand, as: .boolean) else { return known }
        return "(\(known) OR \(odd))"
    }

    func isNull(_ operand: Value, _ truth: Bool) -> String {
        let test = "IS \(truth ? "" : "NOT ")NULL"
        switch operand {
        case .column(let column): return "(\(sql(column)) \(test))"
        case .member(let column, let key): return "((\(sql(column)) ->> \(key.quotedLiteral)) \(test))"
        default:
            let isTime = operand.type == .value(.time)
            let value = isTime ? time(operand, as: Self.instant) : sql(operand, as: .text, isOwn: true)
            let known = guards(of: operand).map { "(\($0)) IS NOT FALSE" }
            return "(" + (["(\(value)) \(test)"] + known).joined(separator: " AND ") + ")"
        }
    }

    func hasValue(_ operand: Value, as type: TypeClass) -> String {
        let value = type == .time ? time(operand, as: Self.instant) : sql(operand, as: type)
        return "((\((["\(value) IS NOT NULL"] + guards(of: operand)).joined(separator: " AND "))) IS TRUE)"
    }

    // MARK: - Texts

    /// The comparison by code points, and as each column compares its own texts.
    private func texts(_ a: Value, _ comparison: Comparison, _ b: Value) -> [String] {
        let columns = (a.columns + b.columns).map(\.column).filter { $0.type == .text }
        let details = columns.map { TextDetail($0.detail) }
        let isPlain = [a, b].allSatisfy { $0.isPlainText } && Set(details.map(\.collation)).count <= 1
        // One collation is the same for all texts here, and tells texts apart as their code points do.
        if !comparison.isOfOrder, isPlain, details.allSatisfy({ $0.kind == .plain }) {
            return ["\(bare(a)) \(comparison.rawValue) \(bare(b))"]
        }
        let (left, right) = (sql(a, as: .text), sql(b, as: .text))
        let own = details.compactMap { $0.comparison(left, comparison.rawValue, right) }
        let unique = own.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return unique + ["(\(left)) COLLATE \"C\" \(comparison.rawValue) (\(right)) COLLATE \"C\""]
    }

    /// Without a cast, so that an index serves.
    private func bare(_ operand: Value) -> String {
        if case .column(let column) = operand { return sql(column) }
        return sql(operand, as: .text)
    }

    private static let capitals = "'ABCDEFGHIJKLMNOPQRSTUVWXYZ'"
    private static let small = "'abcdefghijklmnopqrstuvwxyz'"
    private static func lower(_ text: String) -> String { "translate(\(text), \(capitals), \(small))" }

    // MARK: - Values

    private func sql(_ column: BoundColumn) -> String {
        column.alias.quotedIdentifier + "." + column.column.name.quotedIdentifier
    }

    /// Whoever owns an enumeration can make a cast to text for it at any time. None comes between these functions.
    private func text(_ column: BoundColumn) -> String {
        TextDetail(column.column.detail).kind == .enumeration && column.column.type == .text
            ? "textin(enum_out(\(sql(column))))" : sql(column) + "::text"
    }

    /// `isOwn`: as the class that the operand has by itself.
    private func sql(_ operand: Value, as type: TypeClass, isOwn: Bool = false) -> String {
        let type = isOwn ? operand.type.own : type
        return switch operand {
        case .column(let column): type == .text ? text(column) : sql(column)
        case .literal(let literal): sql(literal, as: type)
        case .arithmetic(let a, let operation, let b):
            Self.inRange("(\(number(a)) \(operation.rawValue) \(number(b)))")
        case .shifted: time(operand, as: Self.instant)
        case .member(let column, let key): member(column, key.quotedLiteral, as: type)
        case .call(.abs, let values): Self.inRange("abs(\(number(values[0])))")
        case .call(.length, let values): "length(\(sql(values[0], as: .text)))"
        case .call(.lower, let values): Self.lower(sql(values[0], as: .text))
        case .call(.upper, let values):
            "translate(\(sql(values[0], as: .text)), \(Self.small), \(Self.capitals))"
        case .call(.trim, let values): "btrim(\(sql(values[0], as: .text)))"
        case .call(.nullif, let values) where type == .text:
            "nullif((\(sql(values[0], as: type))) COLLATE \"C\", \(sql(values[1], as: type)))"
        case .call(let function, let values):
            "\(function.rawValue)(\(values.map { sql($0, as: type) }.joined(separator: ", ")))"
        case .substring(let text, let from, let count):
            "substr(\(sql(text, as: .text)), \(from)\(count.map { ", \($0)" } ?? ""))"
        }
    }

    private func sql(_ literal: Literal, as type: TypeClass) -> String {
        let name =
            switch type {
            case .integer: "bigint"
            case .decimal: "numeric"
            case .real: "float8"
            case .boolean: "boolean"
            case .uuid: "uuid"
            case .time: Self.instant
            default: "text"
            }
        return switch literal {
        case .null: "NULL::\(name)"
        case .integer(let number): "'\(number)'::\(name)"
        case .decimal(let number): "'\(number)'::\(name)"
        case .text(let text): "\(text.quotedLiteral)::\(name)"
        case .boolean(let truth): truth ? "TRUE" : "FALSE"
        }
    }

    private func number(_ operand: Value) -> String { "(\(sql(operand, as: .integer)))::numeric" }

    private static func inRange(_ number: String) -> String {
        "CASE WHEN \(number) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN \(number) END"
    }

    private func member(_ column: BoundColumn, _ key: String, as type: TypeClass) -> String {
        let kind = "\(column.column.detail)_typeof(\(sql(column)) -> \(key))"
        let value = "(\(sql(column)) ->> \(key))"
        return switch type {
        case .boolean: "CASE \(kind) WHEN 'boolean' THEN \(value)::boolean END"
        case .integer:
            "CASE \(kind) WHEN 'number' THEN CASE WHEN \(value) ~ '^-?[0-9]{1,18}$' THEN \(value)::bigint END END"
        default: "CASE \(kind) WHEN 'string' THEN \(value) END"
        }
    }

    /// NaN is no value: it is greater than all others here, and elsewhere it is none.
    private func guards(of operand: Value) -> [String] {
        // A part that is not there may be none that the whole needs.
        let known = operand.columns.compactMap(isFit)
        return disagreements(in: operand)
            + (operand.isColumn ? known : known.map { "(\($0)) IS NOT FALSE" })
    }

    private func isFit(_ column: BoundColumn) -> String? {
        switch column.column.type {
        case .decimal: "\(sql(column)) <> 'NaN'::numeric"
        case .real: "\(sql(column)) <> 'NaN'::float8"
        case .time: isPlausible(column)
        default: nil
        }
    }

    /// SQL that is FALSE where `nullif` compares texts that a column takes for equal and code points do not.
    private func disagreements(in operand: Value) -> [String] {
        guard case .call(let function, let values) = operand else { return [] }
        let inner = values.flatMap(disagreements)
        guard function == .nullif, values.allSatisfy({ $0.type.own == .text }) else { return inner }
        let (a, b) = (sql(values[0], as: .text), sql(values[1], as: .text))
        let own = (values[0].columns + values[1].columns).map(\.column).filter { $0.type == .text }
            .compactMap { TextDetail($0.detail).comparison(a, "=", b) }
        return inner
            + Set(own).sorted().map {
                "((\(a)) COLLATE \"C\" = (\(b)) COLLATE \"C\") IS NOT DISTINCT FROM (\($0))"
            }
    }

    // MARK: - Times

    private static let instant = "timestamptz"

    /// Years before 2000 and after 9999, infinity and BC are no times.
    private func isPlausible(_ column: BoundColumn) -> String {
        let type = column.column.detail
        return "\(sql(column)) >= '2000-01-01'::\(type) AND \(sql(column)) < '10000-01-01'::\(type)"
    }

    /// The type as which two times are compared: a column's own, so that its index serves, where no text says a zone or
    /// more than a day.
    private func timeType(_ a: Value, _ b: Value) -> String {
        var types: Set<String> = []
        for operand in [a, b] {
            switch operand {
            case .column(let column): types.insert(column.column.detail)
            case .literal(.text(let text)):
                let day = text.dropFirst(10)
                if day.contains(where: { "+-Z".contains($0) }) {
                    types.insert(Self.instant)
                } else if !day.isEmpty {
                    types.insert("timestamp")
                }
            default: types.insert(Self.instant)
            }
        }
        if types.contains(Self.instant) || types.isEmpty { return Self.instant }
        return types.contains("timestamp") ? "timestamp" : "date"
    }

    private func time(_ operand: Value, as type: String) -> String {
        switch operand {
        case .column(let column):
            column.column.detail == type ? sql(column) : "\(sql(column))::\(type)"
        case .literal(.text(let text)): "\(text.quotedLiteral)::\(type)"
        case .shifted(let value, let seconds): shifted(value, seconds, as: type)
        case .call(let function, let values):
            "\(function.rawValue)(\(values.map { time($0, as: type) }.joined(separator: ", ")))"
        default: "NULL::\(type)"
        }
    }

    /// A time that is none would be out of range, which fails.
    private func shifted(_ value: Value, _ seconds: Int64, as type: String) -> String {
        let known = value.columns.map { "(\(isPlausible($0))) IS NOT FALSE" }
        let sum = "(\(time(value, as: type)) + '\(seconds) seconds'::interval)"
        return known.isEmpty ? sum : "CASE WHEN \(known.joined(separator: " AND ")) THEN \(sum) END"
    }
}

/// How a column compares its texts, as ``TypedColumn/detail`` has it: the way, a blank, and the collation or schema as SQL.
struct TextDetail: Equatable {
    enum Kind: String {
        /// By a collation that tells all texts apart.
        case plain
        case enumeration
        /// Padded with blanks, which do not count.
        case padded
        /// By a collation that takes some texts for equal.
        case folding
        /// By the operators of the extension citext, in this schema.
        case citext
    }

    let kind: Kind
    let collation: String

    init(_ kind: Kind, _ collation: String) { (self.kind, self.collation) = (kind, collation) }

    init(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        kind = parts.first.flatMap { Kind(rawValue: String($0)) } ?? .plain
        collation = parts.count > 1 ? String(parts[1]) : ""
    }

    var description: String { "\(kind.rawValue) \(collation)" }

    /// SQL of two texts, compared as the column does; nil if that is by code points.
    func comparison(_ a: String, _ comparison: String, _ b: String) -> String? {
        switch kind {
        case .plain, .enumeration: nil
        case .padded: "(\(a))::bpchar \(comparison) (\(b))::bpchar"
        case .folding: "(\(a)) COLLATE \(collation) \(comparison) (\(b)) COLLATE \(collation)"
        case .citext:
            "(\(a))::\(collation).citext OPERATOR(\(collation).\(comparison)) (\(b))::\(collation).citext"
        }
    }
}

extension Operand<BoundNames> {
    fileprivate var isColumn: Bool { if case .column = self { true } else { false } }

    /// A column whose texts need no cast, or a text.
    fileprivate var isPlainText: Bool {
        switch self {
        case .column, .literal: true
        default: false
        }
    }
}
