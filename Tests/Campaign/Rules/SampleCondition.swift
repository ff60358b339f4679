/// A condition on a row as a tree: written as SQL for the rule, and evaluated by itself: true, false, or nil for NULL.
indirect enum SampleCondition {
    case number(String, String, Int)
    case sum(Int)
    case length(Int)
    case text(String)
    case isNull(String)
    case isTextSet
    case within(String, [Int])
    case labelled(Int)
    case not(SampleCondition)
    case and(SampleCondition, SampleCondition)
    case or(SampleCondition, SampleCondition)

    static let texts = ["x", "yy", "it's", "ßé"]

    static func random(_ depth: Int, _ random: inout SampleRandom) -> SampleCondition {
        let column = random.pick("a", "b")
        switch random.number(0...(depth > 0 ? 10 : 7)) {
        case 0: return .number(column, random.pick("=", "<>", "<", ">="), random.number(0...3))
        case 1: return .text(random.pick(texts))
        case 2: return .isNull(column)
        case 3: return .within(column, [random.number(0...3), random.number(0...3)])
        case 4: return .labelled(random.number(0...2))
        case 5: return .sum(random.number(0...5))
        case 6: return .length(random.number(0...3))
        case 7: return .isTextSet
        case 8: return .not(.random(depth - 1, &random))
        case 9: return .and(.random(depth - 1, &random), .random(depth - 1, &random))
        default: return .or(.random(depth - 1, &random), .random(depth - 1, &random))
        }
    }

    /// As a person may write it.
    func sql(_ names: SampleNames) -> String {
        let (a, c) = (names.column("a"), names.column("c"))
        return switch self {
        case .number(let column, let comparison, let value): "\(names.column(column)) \(comparison) \(value)"
        // The other column has no type in SQLite, and only integers are added.
        case .sum(let value): "\(a) * 2 + \(a) > \(value)"
        case .length(let value): "length(\(c)) > \(value)"
        case .text(let value): "\(c) = '\(value.replacing("'", with: "''"))'"
        case .isNull(let column): "\(names.column(column)) IS NULL -- unset\n"
        case .isTextSet: "(/* any */ \(c) IS NOT NULL)"
        case .within(let column, let values):
            "\(names.column(column)) IN (\(values.map(String.init).joined(separator: ", ")))"
        case .labelled(let kind):
            "EXISTS (SELECT 1 FROM \(names.table("label")) l WHERE l.item = \(names.rowTable).tag AND l.kind = \(kind))"
        case .not(let inner): "NOT (\(inner.sql(names)))"
        case .and(let a, let b): "(\(a.sql(names))) AND (\(b.sql(names)))"
        case .or(let a, let b): "(\(a.sql(names))) OR (\(b.sql(names)))"
        }
    }

    func value(of row: SampleRow) -> Bool? {
        let number = { (column: String) in row.numbers[column] ?? nil }
        switch self {
        case .number(let column, let comparison, let value):
            guard let own = number(column) else { return nil }
            return switch comparison {
            case "=": own == value
            case "<>": own != value
            case "<": own < value
            default: own >= value
            }
        case .sum(let value):
            return number("a").map { 3 * $0 > value }
        case .length(let value): return row.text.map { $0.unicodeScalars.count > value }
        case .text(let value):
            guard let text = row.text else { return nil }
            // Where the column and the characters disagree, nothing is known.
            return text == value ? true : row.ignoresCase && text.lowercased() == value ? nil : false
        case .isNull(let column): return number(column) == nil
        case .isTextSet: return row.text != nil
        case .within(let column, let values): return number(column).map(values.contains)
        case .labelled(let kind): return row.labels.contains(kind)
        case .not(let inner): return inner.value(of: row).map { !$0 }
        case .and(let a, let b):
            let values = [a.value(of: row), b.value(of: row)]
            return values.contains(false) ? false : values.contains(nil) ? nil : true
        case .or(let a, let b):
            let values = [a.value(of: row), b.value(of: row)]
            return values.contains(true) ? true : values.contains(nil) ? nil : false
        }
    }
}
