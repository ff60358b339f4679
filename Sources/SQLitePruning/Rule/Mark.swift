import Retention
import RuleEngine
import TerminalText

extension Mark {
    /// SQL that is true of a row that has all of the values. `row` is the name of the row.
    func isSet(_ row: String) -> String {
        columns.map {
            "\(row.quotedIdentifier).\($0.name.quotedIdentifier) IS \($0.literal) COLLATE BINARY"
        }.joined(separator: " AND ")
    }
}

extension ColumnConstant {
    /// The value as SQL.
    var literal: String {
        switch self {
        case .integer(let value): value == .min ? "(-9223372036854775807 - 1)" : "\(value)"
        case .real(let value): "\(value)"
        case .text(let value): value.quoted("'")
        }
    }
}
