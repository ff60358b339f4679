import Retention
import SQLite

/// A time as the statements compare it with the column: an integer, or a real number where the column has fractions.
enum ColumnTime: Comparable {
    case integer(Int64)
    case real(Double)

    /// The start of `value`, which counts the units of `format`.
    init(_ value: Int64, _ format: TimeFormat) {
        self =
            switch format.unit.storage {
            case .integer, .text: .integer(value)
            case .real: .real(format.real(value))
            }
    }

    /// What the column has; nil if `value` is no number.
    init?(_ value: DatabaseValue, _ format: TimeFormat) {
        switch value {
        case .int64(let integer):
            self = format.unit.storage == .real ? .real(Double(integer)) : .integer(integer)
        case .double(let real): self = .real(real)
        default: return nil
        }
    }

    /// The last time before this one.
    var predecessor: ColumnTime {
        switch self {
        case .integer(let value): .integer(value == .min ? .min : value - 1)
        case .real(let value): .real(value.nextDown)
        }
    }

    /// The time as a parameter.
    var bound: DatabaseValue {
        switch self {
        case .integer(let value): .int64(value)
        case .real(let value): .double(value)
        }
    }

    /// The time as SQL.
    var literal: String {
        switch self {
        case .integer(let value): "\(value)"
        // All times lie within the integers that a double has exactly; Swift writes the shortest text that is the same
        // double, and SQLite reads 17 digits.
        case .real(let value): "\(value)"
        }
    }

    static func < (a: ColumnTime, b: ColumnTime) -> Bool {
        switch (a, b) {
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): a < b
        case (.integer(let a), .real(let b)): Double(a) < b
        case (.real(let a), .integer(let b)): a < Double(b)
        }
    }
}
