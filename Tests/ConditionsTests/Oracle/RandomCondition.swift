import Conditions
import TestSupport

/// Makes conditions on rows of a table `t` that may read a table `u`, of everything that the language has.
struct RandomCondition {
    let row: OracleTable
    let other: OracleTable
    let texts: [String]
    let times: [String]
    var random: SeededGenerator

    init(_ row: OracleTable, _ other: OracleTable, texts: [String], times: [String] = [], seed: UInt64) {
        (self.row, self.other, self.texts, self.times) = (row, other, texts, times)
        random = SeededGenerator(seed: seed)
    }

    private struct Scope {
        var tables: [(alias: String, table: OracleTable)]
    }

    mutating func next() -> WrittenCondition {
        var condition: WrittenCondition
        repeat {
            condition = self.condition(
                Scope(tables: [("t", row)]), depth: Int.random(in: 0...3, using: &random))
        } while !condition.written.contains("t.")
        return condition
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func pick<Element>(_ all: [Element]) -> Element {
        all[Int.random(in: 0..<all.count, using: &random)]
    }

    private mutating func condition(_ scope: Scope, depth: Int) -> WrittenCondition {
        if depth > 0 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                let terms = (0..<Int.random(in: 2...3, using: &random)).map { _ in 0 }
                return .all(terms.map { _ in condition(scope, depth: depth - 1) })
            case 3..<6: return .any([condition(scope, depth: depth - 1), condition(scope, depth: depth - 1)])
            case 6..<8: return .not(condition(scope, depth: depth - 1))
            case 8 where scope.tables.count < 3:
                return .exists(subquery(scope, depth: depth - 1, column: nil))
            case 9 where scope.tables.count < 3:
                let kinds: [OracleColumn.Kind] = [.integer, .text, .loose]
                let columns = other.columns.filter { kinds.contains($0.kind) }
                let column = pick(columns)
                return .isInQuery(
                    operand(column.kind, scope, depth: 1),
                    subquery(scope, depth: depth - 1, column: column.name))
            default: break
            }
        }
        return term(scope)
    }

    private mutating func subquery(
        _ scope: Scope, depth: Int, column: String?
    ) -> Subquery<WrittenNames> {
        let alias = "u\(scope.tables.count)"
        let inner = Scope(tables: scope.tables + [(alias, other)])
        return Subquery(
            column: column.map { .init(table: SQLName(alias), name: SQLName($0)) },
            tables: [.init(name: SQLName(other.name), alias: SQLName(alias))],
            condition: chance(15) ? nil : condition(inner, depth: depth))
    }

    private mutating func term(_ scope: Scope) -> WrittenCondition {
        let kinds = Array(Set(row.columns.map(\.kind))).sorted { "\($0)" < "\($1)" }
        let kind = pick(kinds)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .isNull(operand(kind, scope, depth: 1))
        case 1 where kind == .text:
            return .isLike(operand(.text, scope, depth: 1), pattern())
        case 2 where kind == .boolean: return .isTrue(truth(scope))
        case 3 where kind != .json && kind != .loose:
            let count = Int.random(in: 1...4, using: &random)
            return .isIn(
                operand(kind, scope, depth: 1),
                (0..<count).map { _ in operand(kind, scope, depth: 0, isLiteral: true) })
        default: break
        }
        if kind == .json {
            let column: WrittenNames.Column =
                column(.json, scope) ?? .init(table: SQLName("t"), name: SQLName("js"))
            let other = pick([OracleColumn.Kind.integer, .text, .boolean])
            let comparison = pick(other == .boolean ? [.equal, .unequal] : Comparison.allCases)
            return .comparison(
                .member(column, key: pick(["k", "n", "b", "no"])), comparison, operand(other, scope, depth: 1)
            )
        }
        let comparison = pick(Comparison.allCases)
        let left = operand(kind, scope, depth: 2)
        let right =
            kind == .loose
            ? operand(pick([.loose, .integer, .text]), scope, depth: 0) : operand(kind, scope, depth: 1)
        return chance(50) ? .comparison(left, comparison, right) : .comparison(right, comparison, left)
    }

    private mutating func truth(_ scope: Scope) -> Operand<WrittenNames> {
        if chance(20), let column = column(.json, scope) { return .member(column, key: pick(["b", "k"])) }
        return operand(.boolean, scope, depth: 1)
    }

    private mutating func pattern() -> LikePattern {
        LikePattern(
            (0..<Int.random(in: 0...3, using: &random)).map { _ in
                pick([.one, .any, .any] + pick(texts).unicodeScalars.prefix(3).map(LikePattern.Part.scalar))
            })
    }

    // MARK: - Operands

    /// A column of this kind of any table in scope; nil if there is none.
    private mutating func column(_ kind: OracleColumn.Kind, _ scope: Scope) -> WrittenNames.Column? {
        let all = scope.tables.flatMap { table in
            table.table.columns.filter { $0.kind == kind }.map { (table.alias, $0.name) }
        }
        guard !all.isEmpty else { return nil }
        // Those of the innermost query are last.
        let found =
            chance(50)
            ? all[all.count - 1 - Int.random(in: 0..<min(3, all.count), using: &random)] : pick(all)
        return .init(table: SQLName(found.0), name: SQLName(found.1))
    }

    private mutating func operand(
        _ kind: OracleColumn.Kind, _ scope: Scope, depth: Int, isLiteral: Bool = false
    ) -> Operand<WrittenNames> {
        if isLiteral || chance(25) { return .literal(chance(4) ? .null : literal(kind)) }
        let column = column(kind, scope).map { Operand<WrittenNames>.column($0) } ?? .literal(literal(kind))
        guard depth > 0, chance(40) else { return column }
        switch (kind, Int.random(in: 0..<6, using: &random)) {
        case (.integer, 0), (.integer, 1):
            return .arithmetic(
                operand(.integer, scope, depth: depth - 1), pick([.sum, .difference, .product]),
                operand(.integer, scope, depth: depth - 1))
        case (.integer, 2): return .call(.abs, [operand(.integer, scope, depth: depth - 1)])
        case (.integer, 3): return .call(.length, [operand(.text, scope, depth: depth - 1)])
        case (.text, 0): return .call(.lower, [operand(.text, scope, depth: depth - 1)])
        case (.text, 1): return .call(.upper, [operand(.text, scope, depth: depth - 1)])
        case (.text, 2): return .call(.trim, [operand(.text, scope, depth: depth - 1)])
        case (.text, 3):
            return .substring(
                operand(.text, scope, depth: depth - 1), from: Int64.random(in: 1...3, using: &random),
                count: chance(50) ? Int64.random(in: 0...3, using: &random) : nil)
        case (.time, 0), (.time, 1):
            let time = chance(70) ? column : .call(.coalesce, [column, operand(.time, scope, depth: 0)])
            return .shifted(time, seconds: pick([-86_400, 3_600, 7 * 86_400]))
        case (.time, 2): return .call(.coalesce, [column, operand(.time, scope, depth: depth - 1)])
        case (.integer, 4), (.text, 4), (.boolean, 4), (.integer, 5), (.text, 5):
            return .call(
                pick([.coalesce, .nullif]), [column, operand(kind, scope, depth: depth - 1)])
        default: return column
        }
    }

    private mutating func literal(_ kind: OracleColumn.Kind) -> Literal {
        switch kind {
        case .integer:
            .integer(chance(10) ? pick([.max, .min, .max - 1]) : Int64.random(in: -3...6, using: &random))
        case .real:
            chance(70)
                ? .decimal(pick(["0.5", "1.5", "-2.25", "1e2"]))
                : .integer(Int64.random(in: -1...2, using: &random))
        case .text: .text(pick(texts))
        case .boolean: .boolean(chance(50))
        case .time: .text(pick(times))
        case .json, .loose:
            chance(50) ? .integer(Int64.random(in: -1...6, using: &random)) : .text(pick(texts))
        }
    }
}
