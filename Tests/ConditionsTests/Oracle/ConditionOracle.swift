import Conditions

/// Evaluates conditions by the rules of the language, without any database.
struct ConditionOracle {
    let tables: [OracleTable]
    /// Whether a value of another kind counts in a subquery also where another table has it. Else such a table is refused.
    var countsOddOfOthers = true

    init(tables: [OracleTable], countsOddOfOthers: Bool = true) {
        (self.tables, self.countsOddOfOthers) = (tables, countsOddOfOthers)
    }

    /// A truth value, and what it counts as where a disagreement of two ways to compare a text decides for a match.
    struct Truth: Equatable {
        var isTrue: Bool
        var isFalse: Bool
        var mayBeTrue: Bool
        var mayBeFalse: Bool

        static let yes = Truth(isTrue: true, isFalse: false, mayBeTrue: true, mayBeFalse: false)
        static let no = !yes
        static let unknown = Truth(isTrue: false, isFalse: false, mayBeTrue: false, mayBeFalse: false)
        static let disputed = Truth(isTrue: false, isFalse: false, mayBeTrue: true, mayBeFalse: true)

        init(isTrue: Bool, isFalse: Bool, mayBeTrue: Bool, mayBeFalse: Bool) {
            (self.isTrue, self.isFalse, self.mayBeTrue, self.mayBeFalse) = (
                isTrue, isFalse, mayBeTrue, mayBeFalse
            )
        }

        init(_ truth: Bool) { self = truth ? .yes : .no }

        static prefix func ! (a: Truth) -> Truth {
            Truth(isTrue: a.isFalse, isFalse: a.isTrue, mayBeTrue: a.mayBeFalse, mayBeFalse: a.mayBeTrue)
        }

        static func all(_ terms: [Truth]) -> Truth {
            Truth(
                isTrue: terms.allSatisfy(\.isTrue), isFalse: terms.contains(where: \.isFalse),
                mayBeTrue: terms.allSatisfy(\.mayBeTrue), mayBeFalse: terms.contains(where: \.mayBeFalse))
        }

        static func any(_ terms: [Truth]) -> Truth { !all(terms.map { !$0 }) }
    }

    /// The rows in scope, by the names of their tables.
    typealias Scope = [String: (table: OracleTable, row: [String: OracleValue])]

    func judge(_ condition: WrittenCondition, _ scope: Scope) -> Truth {
        switch condition {
        case .comparison(let a, let comparison, let b): return compare(a, comparison, b, scope)
        case .isNull(let operand):
            if case .member(let column, let key) = operand {
                guard case .json(let members?) = value(of: column, scope) else { return .yes }
                return Truth(members[key] ?? .null == .null)
            }
            guard isFit(operand, scope) else { return .unknown }
            return Truth(value(operand, scope) == .null)
        case .isIn(let operand, let values):
            return .any(values.map { compare(operand, .equal, $0, scope) })
        case .isInQuery(let operand, let query):
            let terms = matches(of: query, scope).map { match, scope -> Truth in
                guard let column = query.column else { return .unknown }
                return combined(match, compare(operand, .equal, .column(column), scope))
            }
            var found = Truth.any(terms)
            if isJudgedByOdd(query, scope) { (found.isFalse, found.mayBeTrue) = (false, true) }
            return found
        case .isLike(let operand, let pattern):
            guard let text = text(operand, scope) else {
                return isOdd(operand, scope, as: .text) ? .disputed : .unknown
            }
            let (exact, folded) = (
                Self.like(text, pattern), Self.like(text.foldingASCII, pattern.foldingASCII)
            )
            return exact ? .yes : folded ? .disputed : .no
        case .exists(let query):
            let found = matches(of: query, scope).map(\.match)
            let mayBe = found.contains(where: \.mayBeTrue) || isJudgedByOdd(query, scope)
            return Truth(
                isTrue: found.contains(where: \.isTrue), isFalse: !mayBe,
                mayBeTrue: mayBe, mayBeFalse: !found.contains(where: \.isTrue))
        case .isTrue(let operand):
            guard case .value(let value) = evaluated(operand, scope, as: .boolean), let truth = value.asTruth
            else {
                return isOdd(operand, scope, as: .boolean) ? .disputed : .unknown
            }
            return Truth(truth)
        case .not(let inner): return !judge(inner, scope)
        case .all(let terms): return .all(terms.map { judge($0, scope) })
        case .any(let terms): return .any(terms.map { judge($0, scope) })
        }
    }

    /// A row that is none of the subquery's does not count: whether it is equal is asked of a row that is.
    private func combined(_ match: Truth, _ equal: Truth) -> Truth {
        Truth(
            isTrue: match.isTrue && equal.isTrue,
            isFalse: !match.mayBeTrue || equal.isFalse,
            mayBeTrue: match.mayBeTrue && equal.mayBeTrue,
            mayBeFalse: !match.isTrue || equal.mayBeFalse)
    }

    private func matches(of query: Subquery<WrittenNames>, _ scope: Scope) -> [(match: Truth, scope: Scope)] {
        var scopes = [scope]
        for written in query.tables {
            guard let table = tables.first(where: { $0.name == written.name.text }) else { return [] }
            let alias = (written.alias ?? written.name).text
            scopes = scopes.flatMap { scope in
                table.rows.map { row in scope.merging([alias: (table, row)]) { $1 } }
            }
        }
        return scopes.map { scope in (query.condition.map { judge($0, scope) } ?? .yes, scope) }
    }

    // MARK: - Comparisons

    private enum Evaluated: Equatable {
        /// A column that it is made of has a value of another kind.
        case misfit
        case value(OracleValue)
    }

    private func compare(
        _ a: Operand<WrittenNames>, _ comparison: Comparison, _ b: Operand<WrittenNames>, _ scope: Scope
    ) -> Truth {
        let kinds = [kind(a, scope), kind(b, scope)]
        guard !kinds.contains(.null) else { return .unknown }
        guard let common = common(kinds) else { return .unknown }
        let both = [evaluated(a, scope, as: common), evaluated(b, scope, as: common)]
        guard case .value(let left) = both[0], case .value(let right) = both[1], left != .null, right != .null
        else {
            guard countsOddOfOthers, both.contains(.misfit), !both.contains(.value(.null)) else {
                return .unknown
            }
            guard case .column(let own) = a, case .column(let other) = b else { return .disputed }
            // Equal values are equal, whatever they are.
            let same = [value(of: own, scope), value(of: other, scope)]
            let areNaN = same.allSatisfy { if case .real(let number) = $0 { number.isNaN } else { false } }
            let isSame = same[0] == same[1] || areNaN
            return switch comparison {
            case .equal: Truth(isTrue: false, isFalse: false, mayBeTrue: isSame, mayBeFalse: true)
            case .unequal: Truth(isTrue: false, isFalse: false, mayBeTrue: true, mayBeFalse: isSame)
            default: .disputed
            }
        }
        if case .text(let left) = left, case .text(let right) = right {
            let ways = (owns(a, scope) + owns(b, scope)).map { ($0(left), $0(right)) } + [(left, right)]
            let found = ways.map { comparison.holds($0.0.comparedByCodePoints(with: $0.1)) }
            return found.allSatisfy(\.self) ? .yes : found.contains(true) ? .disputed : .no
        }
        guard let order = Self.order(left, right) else { return .unknown }
        return Truth(comparison.holds(order))
    }

    /// -1, 0 or 1; nil for values of two kinds.
    private static func order(_ a: OracleValue, _ b: OracleValue) -> Int? {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
        case (.boolean(let a), .boolean(let b)): a == b ? 0 : a ? 1 : -1
        case (.time(let a), .time(let b)): a < b ? -1 : a > b ? 1 : 0
        // All of a sample are the same.
        case (.blob, .blob): 0
        default:
            if let a = a.number, let b = b.number { a < b ? -1 : a > b ? 1 : 0 } else { nil }
        }
    }

    private func isOdd(_ operand: Operand<WrittenNames>, _ scope: Scope, as kind: Kind) -> Bool {
        countsOddOfOthers && evaluated(operand, scope, as: kind) == .misfit
    }

    /// Whether a value of a row around the query is of another kind than it is compared as there. With `countsOddOfOthers` each
    /// comparison says so itself.
    private func isJudgedByOdd(_ query: Subquery<WrittenNames>, _ scope: Scope) -> Bool {
        guard !countsOddOfOthers, let condition = query.condition else { return false }
        // The kinds of the columns inside are those of any row.
        var inside = scope
        func enter(_ query: Subquery<WrittenNames>) {
            for written in query.tables {
                guard let table = tables.first(where: { $0.name == written.name.text }) else { continue }
                inside[(written.alias ?? written.name).text] = (table, table.rows.first ?? [:])
            }
        }
        func isOdd(_ a: Operand<WrittenNames>, as kind: Kind) -> Bool {
            let columns = a.writtenColumns
            return !columns.isEmpty && columns.allSatisfy { $0.table.map { scope[$0.text] != nil } ?? false }
                && evaluated(a, inside, as: kind) == .misfit
        }
        func areOdd(_ a: Operand<WrittenNames>, _ b: Operand<WrittenNames>) -> Bool {
            let kinds = [kind(a, inside), kind(b, inside)]
            guard !kinds.contains(.null), let common = common(kinds), common != .loose else { return false }
            return isOdd(a, as: common) || isOdd(b, as: common)
        }
        func search(_ condition: WrittenCondition) -> Bool {
            switch condition {
            case .comparison(let a, _, let b): areOdd(a, b)
            case .isNull: false
            case .isIn(let a, let values): values.contains { areOdd(a, $0) }
            case .isLike(let a, _): isOdd(a, as: .text)
            case .isTrue(let a): isOdd(a, as: .boolean)
            case .not(let inner): search(inner)
            case .all(let terms), .any(let terms): terms.contains(where: search)
            case .exists(let query): searchIn(query)
            case .isInQuery(let a, let query):
                searchIn(query) || (query.column.map { areOdd(a, .column($0)) } ?? false)
            }
        }
        func searchIn(_ query: Subquery<WrittenNames>) -> Bool {
            enter(query)
            return query.condition.map(search) ?? false
        }
        enter(query)
        return search(condition)
    }

    /// As what two operands are compared. A truth value beside a number is one.
    private func common(_ kinds: [Kind]) -> Kind? {
        let kind = kinds.first { $0 != .member && $0 != .loose } ?? (kinds.contains(.member) ? .text : .loose)
        let isNumber = kinds.contains(.integer) || kinds.contains(.real)
        return kinds.contains(.time) ? .time : kind == .boolean && isNumber ? .integer : kind
    }

    private func owns(_ operand: Operand<WrittenNames>, _ scope: Scope) -> [(String) -> String] {
        operand.writtenColumns.compactMap { column($0, scope)?.own }
    }

    // MARK: - Operands

    fileprivate enum Kind {
        case integer, real, text, boolean, time, member, loose, null
    }

    private func kind(_ operand: Operand<WrittenNames>, _ scope: Scope) -> Kind {
        switch operand {
        case .column(let name):
            switch column(name, scope)?.kind {
            case .integer: .integer
            case .real: .real
            case .boolean: .boolean
            case .time: .time
            case .loose: .loose
            default: .text
            }
        case .literal(.null): .null
        case .literal(.integer), .arithmetic, .call(.abs, _), .call(.length, _): .integer
        case .literal(.decimal): .real
        case .literal(.boolean): .boolean
        case .literal(.text), .call(.lower, _), .call(.upper, _), .call(.trim, _), .substring: .text
        case .shifted: .time
        case .member: .member
        case .call(.coalesce, let values), .call(.nullif, let values):
            values.map { kind($0, scope) }.first { $0 != .null } ?? .null
        }
    }

    private func evaluated(_ operand: Operand<WrittenNames>, _ scope: Scope, as kind: Kind) -> Evaluated {
        if case .member(let column, let key) = operand {
            if value(of: column, scope) == .json(nil) { return .misfit }
            guard case .json(let members?) = value(of: column, scope), let member = members[key] else {
                return .value(.null)
            }
            switch (kind, member) {
            case (.text, .text), (.boolean, .boolean), (.integer, .integer): return .value(member)
            default: return member == .null ? .value(.null) : .misfit
            }
        }
        if case .column(let name) = operand {
            guard let column = column(name, scope), value(of: name, scope).isOf(kind.of(column.kind)) else {
                return .misfit
            }
            if case .time(let seconds) = value(of: name, scope), !Self.plausible.contains(seconds) {
                return .misfit
            }
            if case .real(let number) = value(of: name, scope), number.isNaN { return .misfit }
        }
        guard isFit(operand, scope) else { return .misfit }
        let value = value(operand, scope)
        // The number 1 and the truth value are the same where one is compared with the other.
        switch (kind, value) {
        case (.boolean, .integer(let number)):
            return number == 0 || number == 1 ? .value(.boolean(number == 1)) : .misfit
        case (.boolean, .real): return .misfit
        case (.integer, .boolean(let truth)), (.real, .boolean(let truth)), (.loose, .boolean(let truth)):
            return .value(.integer(truth ? 1 : 0))
        case (.time, .text(let text)): return .value(.time(Self.times[text] ?? 0))
        default: return .value(value)
        }
    }

    /// Whether all that a value is made of is of the kinds that their columns are meant to hold; true of a column itself.
    private func isFit(_ operand: Operand<WrittenNames>, _ scope: Scope) -> Bool {
        if case .column = operand { return true }
        if case .call(let function, let values) = operand {
            guard values.allSatisfy({ isFit($0, scope) }) else { return false }
            if function == .nullif, case .text(let a) = value(values[0], scope),
                case .text(let b) = value(values[1], scope)
            {
                let isSame = a.comparedByCodePoints(with: b) == 0
                let ways = owns(values[0], scope) + owns(values[1], scope)
                guard ways.allSatisfy({ ($0(a).comparedByCodePoints(with: $0(b)) == 0) == isSame }) else {
                    return false
                }
            }
        }
        return operand.writtenColumns.allSatisfy { name in
            guard let column = column(name, scope), column.kind != .json else { return true }
            switch (value(of: name, scope), column.kind) {
            case (.time(let seconds), _): return Self.plausible.contains(seconds)
            case (.integer(let number), .boolean): return number == 0 || number == 1
            case (.real(let number), .boolean): return number == 0 || number == 1
            case (.real(let number), _) where number.isNaN: return false
            default: return value(of: name, scope).isOf(column.kind)
            }
        }
    }

    static let plausible: Range<Int64> = 946_684_800..<253_402_300_800

    /// The times that random conditions write.
    static let times: [String: Int64] = [
        "2026-01-01": 1_767_225_600, "2026-01-01 12:00:00+00": 1_767_268_800,
        "2026-03-01 06:30": 1_772_346_600, "2026-01-02T02:00:00+02:00": 1_767_312_000,
        "2025-12-31 18:30-05": 1_767_223_800,
    ]

    private func column(_ name: WrittenNames.Column, _ scope: Scope) -> OracleColumn? {
        place(of: name, scope)?.table.column(name.name.text)
    }

    private func value(of name: WrittenNames.Column, _ scope: Scope) -> OracleValue {
        place(of: name, scope)?.row[name.name.text] ?? .null
    }

    private func place(
        of name: WrittenNames.Column, _ scope: Scope
    ) -> (table: OracleTable, row: [String: OracleValue])? {
        name.table.map { scope[$0.text] } ?? scope.values.first
    }

    private func text(_ operand: Operand<WrittenNames>, _ scope: Scope) -> String? {
        guard case .value(.text(let text)) = evaluated(operand, scope, as: .text) else { return nil }
        return text
    }

    /// Whatever the kinds of what it is made of.
    private func value(_ operand: Operand<WrittenNames>, _ scope: Scope) -> OracleValue {
        switch operand {
        case .column(let name): return value(of: name, scope)
        case .literal(.null): return .null
        case .literal(.integer(let number)): return .integer(number)
        case .literal(.decimal(let number)): return .real(Double(number) ?? 0)
        case .literal(.text(let text)): return .text(text)
        case .literal(.boolean(let truth)): return .boolean(truth)
        case .member: return .null
        case .arithmetic(let a, let operation, let b):
            guard case .integer(let a) = value(a, scope), case .integer(let b) = value(b, scope) else {
                return .null
            }
            let (result, isOver) =
                switch operation {
                case .sum: a.addingReportingOverflow(b)
                case .difference: a.subtractingReportingOverflow(b)
                case .product: a.multipliedReportingOverflow(by: b)
                }
            return isOver ? .null : .integer(result)
        case .shifted(let inner, let seconds):
            switch value(inner, scope) {
            case .time(let time) where Self.plausible.contains(time): return .time(time + seconds)
            case .text(let text): return Self.times[text].map { .time($0 + seconds) } ?? .null
            default: return .null
            }
        case .call(let function, let values): return call(function, values.map { value($0, scope) })
        case .substring(let text, let from, let count):
            guard case .text(let text) = value(text, scope) else { return .null }
            let rest = text.unicodeScalars.dropFirst(Int(from) - 1)
            return .text(String(String.UnicodeScalarView(rest.prefix(count.map { Int($0) } ?? .max))))
        }
    }

    private func call(_ function: Function, _ values: [OracleValue]) -> OracleValue {
        switch (function, values[0]) {
        case (.coalesce, _): return values.first { $0 != .null } ?? .null
        case (.nullif, let first):
            if case .text(let a) = first, case .text(let b) = values[1] {
                return a.comparedByCodePoints(with: b) == 0 ? .null : first
            }
            return Self.order(first.asInteger, values[1].asInteger) == 0 ? .null : first
        case (.abs, .integer(let number)): return number == .min ? .null : .integer(Swift.abs(number))
        case (.length, .text(let text)): return .integer(Int64(text.unicodeScalars.count))
        case (.lower, .text(let text)): return .text(text.foldingASCII)
        case (.upper, .text(let text)): return .text(text.raisingASCII)
        case (.trim, .text(let text)):
            let start = text.unicodeScalars.drop { $0 == " " }
            let end = String(String.UnicodeScalarView(start)).unicodeScalars.reversed().drop { $0 == " " }
            return .text(String(String.UnicodeScalarView(end.reversed())))
        default: return .null
        }
    }

    /// Tries each length for each `%`.
    private static func like(_ text: String, _ pattern: LikePattern) -> Bool {
        func matches(_ text: ArraySlice<Unicode.Scalar>, _ parts: ArraySlice<LikePattern.Part>) -> Bool {
            guard let first = parts.first else { return text.isEmpty }
            switch first {
            case .any:
                return (text.startIndex...text.endIndex).contains { matches(text[$0...], parts.dropFirst()) }
            case .one: return !text.isEmpty && matches(text.dropFirst(), parts.dropFirst())
            case .scalar(let scalar):
                return text.first == scalar && matches(text.dropFirst(), parts.dropFirst())
            }
        }
        return matches(Array(text.unicodeScalars)[...], pattern.parts[...])
    }
}

extension ConditionOracle.Kind {
    /// The kind of values of a column that is compared as this.
    fileprivate func of(_ column: OracleColumn.Kind) -> OracleColumn.Kind {
        switch self {
        case .integer, .real: column == .boolean || column == .loose ? .integer : column
        case .text: column == .loose ? .text : column
        case .boolean: column == .loose ? .integer : column
        default: column
        }
    }
}

extension OracleValue {
    fileprivate var number: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: nil
        }
    }

    /// A truth value as a number.
    fileprivate var asInteger: OracleValue {
        if case .boolean(let truth) = self { .integer(truth ? 1 : 0) } else { self }
    }

    fileprivate var asTruth: Bool? { if case .boolean(let truth) = self { truth } else { nil } }

    /// Whether a column of this kind is meant to hold it.
    fileprivate func isOf(_ kind: OracleColumn.Kind) -> Bool {
        switch (self, kind) {
        case (.null, _), (_, .loose): true
        case (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real): true
        case (.integer, .boolean), (.real, .boolean), (.boolean, .boolean), (.boolean, .integer): true
        case (.text, .text), (.time, .time), (.json, .json): true
        default: false
        }
    }
}

extension Comparison {
    fileprivate func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .unequal: order != 0
        case .less: order < 0
        case .notGreater: order <= 0
        case .greater: order > 0
        case .notLess: order >= 0
        }
    }
}

extension String {
    fileprivate func comparedByCodePoints(with other: String) -> Int {
        let (a, b) = (unicodeScalars.map(\.value), other.unicodeScalars.map(\.value))
        return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    var foldingASCII: String { changingScalars { ("A"..."Z").contains($0) ? $0.value + 32 : $0.value } }
    fileprivate var raisingASCII: String {
        changingScalars { ("a"..."z").contains($0) ? $0.value - 32 : $0.value }
    }

    private func changingScalars(_ change: (Unicode.Scalar) -> UInt32) -> String {
        String(String.UnicodeScalarView(unicodeScalars.compactMap { Unicode.Scalar(change($0)) }))
    }
}

extension LikePattern {
    fileprivate var foldingASCII: LikePattern {
        LikePattern(
            parts.map { part in
                guard case .scalar(let scalar) = part,
                    let folded = String(scalar).foldingASCII.unicodeScalars.first
                else { return part }
                return .scalar(folded)
            })
    }
}

extension Operand<WrittenNames> {
    fileprivate var writtenColumns: [WrittenNames.Column] {
        switch self {
        case .column(let column), .member(let column, _): [column]
        case .literal: []
        case .arithmetic(let a, _, let b): a.writtenColumns + b.writtenColumns
        case .shifted(let value, _), .substring(let value, _, _): value.writtenColumns
        case .call(_, let values): values.flatMap(\.writtenColumns)
        }
    }
}
