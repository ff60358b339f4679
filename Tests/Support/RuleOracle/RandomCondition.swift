/// A condition on a row as a tree. It is written as SQL for the rule, and evaluated by itself for the oracle: true,
/// false, or nil for NULL.
indirect enum RandomCondition {
    case number(String, String, Int)
    case text(String, String)
    case isNull(String)
    case within(String, [Int])
    case labelled(Int)
    case not(RandomCondition)
    case and(RandomCondition, RandomCondition)
    case or(RandomCondition, RandomCondition)

    static func random(_ depth: Int, using generator: inout SeededGenerator) -> RandomCondition {
        func inner() -> RandomCondition { random(depth - 1, using: &generator) }
        let column = ["a", "b"].randomElement(using: &generator) ?? "a"
        switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &generator) {
        case 0:
            let comparison = ["=", "<>", "<", ">="].randomElement(using: &generator) ?? "="
            return .number(column, comparison, Int.random(in: 0...3, using: &generator))
        case 1: return .text("c", ["x", "y", "it's"].randomElement(using: &generator) ?? "x")
        case 2: return .isNull(column)
        case 3: return .within(column, (0..<2).map { _ in Int.random(in: 0...3, using: &generator) })
        case 4: return .labelled(Int.random(in: 0...2, using: &generator))
        case 5: return .not(inner())
        case 6: return .and(inner(), inner())
        default: return .or(inner(), inner())
        }
    }

    /// The condition as a person may write it.
    var sql: String {
        switch self {
        case .number(let column, let comparison, let value): "\(column) \(comparison) \(value)"
        case .text(let column, let value): "\(column) = '\(value.replacing("'", with: "''"))'"
        case .isNull(let column): "\(column) IS NULL -- unset\n"
        case .within(let column, let values):
            "\(column) IN (\(values.map(String.init).joined(separator: ", ")))"
        case .labelled(let kind): "EXISTS (SELECT 1 FROM label l WHERE l.item = t.id AND l.kind = \(kind))"
        case .not(let inner): "NOT (\(inner.sql))"
        case .and(let a, let b): "(\(a.sql)) AND (\(b.sql))"
        case .or(let a, let b): "(\(a.sql)) OR (\(b.sql))"
        }
    }

    func value(of row: RandomRow) -> Bool? {
        switch self {
        case .number(let column, let comparison, let value):
            guard let own = row.numbers[column] ?? nil else { return nil }
            return switch comparison {
            case "=": own == value
            case "<>": own != value
            case "<": own < value
            default: own >= value
            }
        case .text(_, let value): return row.text.map { $0 == value }
        case .isNull(let column): return (row.numbers[column] ?? nil) == nil
        case .within(let column, let values): return (row.numbers[column] ?? nil).map(values.contains)
        case .labelled(let kind): return row.labels.contains(kind)
        case .not(let inner): return inner.value(of: row).map { !$0 }
        case .and(let a, let b):
            let values = [a.value(of: row), b.value(of: row)]
            if values.contains(false) { return false }
            return values.contains(nil) ? nil : true
        case .or(let a, let b):
            let values = [a.value(of: row), b.value(of: row)]
            if values.contains(true) { return true }
            return values.contains(nil) ? nil : false
        }
    }
}

/// A row of the sample, as the oracle sees it.
struct RandomRow {
    let id: Int
    /// The row's time in microseconds since 1970; nil when the column has none.
    let time: Int64?
    /// The value of the time column, as SQL.
    let written: String
    /// The columns `a` and `b`.
    let numbers: [String: Int?]
    /// The column `c`.
    let text: String?
    /// The groups `g` and `h`, as SQL.
    let groups: [String]
    let mark: Int?
    let labels: Set<Int>
    /// In which of the keepers its key occurs.
    let keepers: Set<Int>
    let hash: String
}
