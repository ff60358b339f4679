import Pruning
import RuleEngine

/// The columns by which a row is found, in whose order rows are stored.
struct RowKey: Equatable {
    let index: Relation.Index
    /// The columns as SQL.
    let columns: [String]
    private let kinds: [Kind]

    private enum Kind: Equatable {
        case number, text, bytes, quoted
    }

    /// Throws a ``SchemaMismatch`` if nothing tells a row from all others.
    init(of relation: Relation) throws(SchemaMismatch) {
        guard let index = relation.key else {
            throw SchemaMismatch(
                "\(relation.description) has no primary key, and no unique one without NULL",
                hint: "give it one: its rows cannot be found again, and each deletion would read all of it")
        }
        var kinds: [Kind] = []
        for name in index.columns {
            switch relation[name]?.baseType {
            case "tinyint", "smallint", "mediumint", "int", "bigint", "decimal": kinds.append(.number)
            case "char", "varchar", "text", "tinytext", "mediumtext", "longtext", "enum", "set": kinds.append(.text)
            case "binary", "varbinary", "blob", "tinyblob", "mediumblob", "longblob": kinds.append(.bytes)
            case "timestamp", "datetime", "date", "uuid", "inet6", "inet4": kinds.append(.quoted)
            default:
                throw SchemaMismatch(
                    "\(relation.description) has a key of the type \(relation[name]?.type ?? ""), by which rows are not"
                        + " found exactly", hint: StoreHint.leaveToApp)
            }
        }
        (self.index, self.kinds) = (index, kinds)
        columns = index.columns.map(relation.column)
    }

    /// SQL of the values, for ``literals(_:)``.
    var selected: String {
        zip(columns, kinds).map { column, kind in
            switch kind {
            case .number, .quoted: column
            case .text: "HEX(CONVERT(\(column) USING utf8mb4))"
            case .bytes: "HEX(\(column))"
            }
        }.joined(separator: ", ")
    }

    /// The selected values of a row as SQL.
    func literals(_ row: some Sequence<String?>) -> [String] {
        zip(row, kinds).map { value, kind in
            switch kind {
            case .number: value ?? "NULL"
            case .quoted: (value ?? "").quotedLiteral
            case .text: "_utf8mb4 X'\(value ?? "")'"
            case .bytes: "X'\(value ?? "")'"
            }
        }
    }

    /// SQL that is true of these rows, each given by its ``literals(_:)``.
    func isOne(of rows: [[String]]) -> String {
        guard columns.count > 1 else {
            return "\(columns[0]) IN (\(rows.map { $0[0] }.joined(separator: ", ")))"
        }
        let list = rows.map { "(\($0.joined(separator: ", ")))" }.joined(separator: ", ")
        return "(\(columns.joined(separator: ", "))) IN (\(list))"
    }

    /// SQL of a hash of a row, which it and its time decide.
    func hash(with time: TimeColumn?) -> String {
        let values = (columns + [time?.sql].compactMap(\.self)).map { "QUOTE(\($0))" }
        return "CONV(LEFT(MD5(CONCAT_WS('|', \(values.joined(separator: ", ")))), 16), 16, 10)"
    }
}
