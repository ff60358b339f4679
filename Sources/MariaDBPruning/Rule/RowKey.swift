import Archive
import Pruning
import RuleEngine

/// The columns by which a row is found, in whose order rows are stored.
struct RowKey: Equatable {
    let index: Relation.Index
    /// The columns as SQL.
    let columns: [String]
    private let values: [StoredValue]

    /// Throws a ``SchemaMismatch`` if nothing tells a row from all others. `row` is the name of the row in a statement, if
    /// not the table's.
    init(of relation: Relation, as row: String? = nil) throws(SchemaMismatch) {
        guard let index = relation.key else {
            throw SchemaMismatch(
                "\(relation.description) has no primary key, and no unique one without NULL",
                hint: "give it one: its rows cannot be found again, and each deletion would read all of it")
        }
        var values: [StoredValue] = []
        for name in index.columns {
            // Fractions are not found again exactly.
            guard let value = StoredValue(relation[name]), value != .real else {
                throw SchemaMismatch(
                    "\(relation.description) has a key of the type \(relation[name]?.type ?? ""), by which rows are not"
                        + " found exactly", hint: StoreHint.leaveToApp)
            }
            values.append(value)
        }
        (self.index, self.values) = (index, values)
        columns = index.columns.map {
            row == nil ? relation.column($0) : "\(row ?? "").\($0.quotedIdentifier)"
        }
    }

    /// SQL of the values, for ``literals(_:)``.
    var selected: String { zip(columns, values).map { $1.selected($0) }.joined(separator: ", ") }

    /// The selected values of a row as SQL.
    func literals(_ row: some Sequence<String?>) -> [String] { zip(row, values).map { $1.literal($0) } }

    /// By which a lease knows the row of these selected values.
    static func fingerprint(_ row: some Sequence<String?>) -> UInt64 {
        var bytes: [UInt8] = []
        for value in row { TextEncoding.append(value.map { Array($0.utf8) }, to: &bytes) }
        return Leases.fingerprint(of: bytes)
    }

    /// SQL that is true of these rows, each given by its ``literals(_:)``.
    func isOne(of rows: [[String]]) -> String {
        guard columns.count > 1 else {
            return "\(columns[0]) IN (\(rows.map { $0[0] }.joined(separator: ", ")))"
        }
        // Rows in a list are compared without their character sets (MariaDB 10.11).
        let terms = rows.map { row in
            "(" + zip(columns, row).map { "\($0) = \($1)" }.joined(separator: " AND ") + ")"
        }
        return "(\(terms.joined(separator: " OR ")))"
    }

    /// SQL of a hash of a row, which it and its time decide.
    func hash(with time: TimeColumn?) -> String {
        "CONV(LEFT(MD5(\(Self.text(of: columns + [time?.sql].compactMap(\.self)))), 16), 16, 10)"
    }

    /// SQL of one text of some values, of whatever character sets.
    static func text(of columns: [String]) -> String {
        "CONCAT_WS('|', \(columns.map { "QUOTE(CAST(\($0) AS BINARY))" }.joined(separator: ", ")))"
    }
}
