/// A value that is stored.
enum OracleValue: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob
    case boolean(Bool)
    /// Seconds since 1970.
    case time(Int64)
    /// The members of an object; nil if it is no JSON.
    case json([String: OracleValue]?)
}

/// A column of an oracle's table.
struct OracleColumn {
    let name: String
    let kind: Kind
    /// How the column itself compares texts; nil for code points.
    var own: (@Sendable (String) -> String)?

    enum Kind: CaseIterable {
        case integer, real, text, boolean, json, time, loose
    }
}

struct OracleTable {
    let name: String
    let columns: [OracleColumn]
    let rows: [[String: OracleValue]]

    /// With rows of values that `value` gives; the column `id` numbers them.
    init(_ name: String, _ columns: [OracleColumn], rows: Int, value: (OracleColumn) -> OracleValue) {
        (self.name, self.columns) = (name, columns)
        self.rows = (0..<rows).map { number in
            columns.reduce(into: [:]) { row, column in
                row[column.name] = column.name == "id" ? .integer(Int64(number)) : value(column)
            }
        }
    }

    func column(_ name: String) -> OracleColumn? { columns.first { $0.name == name } }
}

extension [String: OracleValue] {
    /// As a JSON object within an SQL text.
    var object: String {
        let members = sorted { $0.key < $1.key }.map { key, value in
            switch value {
            case .text(let text): "\"\(key)\": \"\(text.doublingQuotes)\""
            case .boolean(let truth): "\"\(key)\": \(truth)"
            case .integer(let number): "\"\(key)\": \(number)"
            default: "\"\(key)\": null"
            }
        }
        return "{\(members.joined(separator: ", "))}"
    }
}
