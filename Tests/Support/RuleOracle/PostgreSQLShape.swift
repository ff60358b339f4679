import Retention

/// What only PostgreSQL can choose about a table.
struct PostgreSQLShape {
    /// Whether the rows are in three partitions.
    let isPartitioned: Bool
    /// Whether the time is a type of PostgreSQL's own, where the rule's unit does not say otherwise.
    private let prefersTimestamp: Bool
    private let prefersNumeric: Bool
    /// Without them the rule would be refused.
    let indexes: [String]

    init(for rule: RetentionRule, using generator: inout SeededGenerator) {
        isPartitioned = Int.random(in: 0..<5, using: &generator) == 0
        prefersTimestamp = Bool.random(using: &generator)
        prefersNumeric = Bool.random(using: &generator)
        let columns = (rule.keepLastPer + ["at"]).joined(separator: ", ")
        indexes = isPartitioned && rule.keepLast != nil ? ["CREATE INDEX ON t (\(columns))"] : []
    }

    private func hasTimestamp(in format: TimeFormat) -> Bool { prefersTimestamp && format == TimeFormat() }

    func timeType(in format: TimeFormat) -> String {
        if hasTimestamp(in: format) { return "timestamptz" }
        guard format.unit.storage == .real else { return "bigint" }
        // A quotient that a binary number has, and decimal digits do not.
        guard format.unit == .realSeconds else { return "double precision" }
        return prefersNumeric ? "numeric" : "double precision"
    }

    /// Writes a value of a time column.
    func time(in format: TimeFormat) -> (String) -> String {
        hasTimestamp(in: format) ? { $0 == "NULL" ? $0 : "to_timestamp(\($0))" } : { $0 }
    }

    var partitions: String {
        guard isPartitioned else { return "" }
        return (0..<3).map {
            "CREATE TABLE t_\($0) PARTITION OF t FOR VALUES WITH (MODULUS 3, REMAINDER \($0));"
        }.joined(separator: "\n")
    }
}
