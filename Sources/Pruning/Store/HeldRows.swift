import TerminalText

/// Expired rows that cannot go, because rows that stay refer to them by a foreign key.
package struct HeldRows {
    private let rows: Int64
    private let table: String
    private let holders: String
    private let key: String

    /// `holders` says which rows refer to them, and `key` by which foreign key.
    package init(_ rows: Int64, of table: String, by holders: String, key: String) {
        (self.rows, self.table, self.holders, self.key) = (rows, table, holders, key)
    }

    package var cause: String {
        let (row, them) = rows == 1 ? ("row", "it") : ("rows", "them")
        return "\(rows.grouped) expired \(row) of \(table) cannot be deleted: \(holders) refer to \(them)"
            + " (foreign key \(key))"
    }

    /// What helps, with all references that the rule's `kept_by` then has.
    package static func hint(keptBy references: [String]) -> String {
        let all = references.map(\.inQuotes)
        return keeping("kept_by = " + (all.count == 1 ? all[0] : "[\(all.joined(separator: ", "))]"))
    }

    /// What helps, with all conditions that the rule's `protect` then has.
    package static func hint(protect conditions: [String]) -> String {
        keeping("protect = [\(conditions.map(\.inQuotes).joined(separator: ", "))]")
    }

    private static func keeping(_ setting: String) -> String {
        "rows that are referred to can stay: \(setting)"
    }
}
