/// How the values of a column are read, written into statements, and archived: as texts from which the same values come again.
enum StoredValue: Equatable {
    case number, real, bytes, quoted
    /// In the bytes of this character set.
    case text(String)

    /// Nil for a type whose values cannot be written exactly.
    init?(_ column: Relation.Column?) {
        switch column?.baseType {
        case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "bit", "year": self = .number
        case "double", "float": self = .real
        case "char", "varchar", "text", "tinytext", "mediumtext", "longtext", "enum", "set":
            self = .text(column?.characterSet ?? "utf8mb4")
        case "binary", "varbinary", "blob", "tinyblob", "mediumblob", "longblob": self = .bytes
        case "timestamp", "datetime", "date", "time", "uuid", "inet6", "inet4": self = .quoted
        default: return nil
        }
    }

    /// SQL of the text of a value of the column `sql`.
    func selected(_ sql: String) -> String {
        switch self {
        case .number: "\(sql) + 0"
        case .real: "CAST(\(sql) AS DOUBLE)"
        case .quoted: sql
        case .text, .bytes: "HEX(\(sql))"
        }
    }

    /// The value as SQL.
    func literal(_ text: String?) -> String {
        guard let text else { return "NULL" }
        return switch self {
        case .number: text
        case .real: "\(text)\(text.contains("e") ? "" : "e0")"
        case .quoted: text.quotedLiteral
        case .text(let set): "_\(set) X'\(text)'"
        case .bytes: "X'\(text)'"
        }
    }
}
