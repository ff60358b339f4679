/// What a statement does with rows of a table, by itself or through a foreign key.
enum RowOperation: Hashable {
    case delete
    /// Sets these columns.
    case update([String])
    /// Writes these columns; the others get their defaults.
    case insert([String])

    /// As a trigger's event is called.
    var event: String {
        switch self {
        case .delete: "DELETE"
        case .update: "UPDATE"
        case .insert: "INSERT"
        }
    }

    /// The bit of it in `pg_trigger.tgtype`.
    var triggerBit: Int {
        switch self {
        case .insert: 4
        case .delete: 8
        case .update: 16
        }
    }

    /// The character of it in `pg_rewrite.ev_type`.
    var ruleType: String {
        switch self {
        case .update: "2"
        case .insert: "3"
        case .delete: "4"
        }
    }

    /// Whether a new version of a row is checked, calculated and entered into indexes.
    var writesRows: Bool { self != .delete }

    /// The columns that it writes, as an array literal; nil if a trigger on certain columns does not look at them.
    var columns: [String]? {
        if case .update(let columns) = self { columns } else { nil }
    }
}

/// Rows of a table and its partitions that a statement of a rule changes.
struct ReachedRows: Hashable {
    /// There may be thousands, which are asked about in one question.
    let tables: [UInt32]
    let operation: RowOperation
}
