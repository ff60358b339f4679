import Retention

extension RowAction {
    /// The action of a rule with this expiry.
    init(_ reader: TableReader<RuleKey>, of expiry: Expiry) throws(PolicyFileError) {
        let hint = "write \"delete\" (the default) or { set = { deleted = 1 } }"
        if let text = reader.value(.action)?.string {
            guard text == "delete" else { throw reader.error(.action, "is not an action", hint: hint) }
            self = .delete
            return
        }
        guard let inner = try reader.table(.action, of: ActionKey.self) else {
            self = .delete
            return
        }
        guard let entries = try inner.entries(.set, hint: hint) else {
            throw inner.error("sets nothing", hint: hint)
        }
        if reader.value(.dependents)?.array?.isEmpty == false {
            throw reader.error(
                .dependents, beside: .action, "belongs to deleting: a marked row takes nothing with it",
                hint: "remove dependents")
        }
        var columns: [MarkedColumn] = []
        for (column, value) in entries {
            guard let constant = ColumnConstant(value) else {
                throw inner.error(
                    .set, "\(column.quoted) must be a number, a string, or true or false, not \(value.type)",
                    hint: hint)
            }
            columns.append(MarkedColumn(column, constant))
        }
        self = .mark(columns.sorted { $0.column < $1.column })
    }
}

extension ColumnConstant {
    /// Nil if `value` is not a constant of SQL. True and false are 1 and 0, as in SQL.
    fileprivate init?(_ value: TOMLValue) {
        switch value {
        case .integer(let integer): self = .integer(integer)
        case .float(let float) where float.isFinite: self = .real(float)
        case .string(let text): self = .text(text)
        case .bool(let flag): self = .integer(flag ? 1 : 0)
        default: return nil
        }
    }
}
