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

    func column(_ name: String) -> OracleColumn? { columns.first { $0.name == name } }
}
