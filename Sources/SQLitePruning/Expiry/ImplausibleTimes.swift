import Retention

/// The SQL of "this row's time is implausible".
extension ExpiryCondition {
    /// Whether NULL is a valid time: in a deadline column it means that the row has no deadline.
    var nullNeverExpires: Bool {
        if case .deadline = task.rule.expiry { true } else { false }
    }

    /// The row's time cannot be a time in the rule's unit.
    var implausible: String {
        guard bound.time != nil else { return "0" }
        return "NOT (\(isNumber) AND \(column) BETWEEN :lowest AND :highest)"
            + (nullNeverExpires ? " AND \(column) IS NOT NULL" : " OR \(column) IS NULL")
    }

    /// SQL terms of rows whose times matter: others stay because of `where`, and may have no time yet.
    var wanted: [String] { bound.conditions.wanted.map { [afterMarks($0.isTrue)] } ?? [] }

    /// The same as ``implausible``, found through the index, for a column with only integers and NULL. Each implausible
    /// row satisfies exactly one of these conditions. Nil if a scan is needed.
    var implausibleByTime: [String]? {
        guard bound.timeIsAlwaysInteger, let index = bound.timeIndex else { return nil }
        let (entry, low, high) = (
            index.entry(of: column), index.entry(of: ":lowest"), index.entry(of: ":highest")
        )
        return [
            "\(entry) <= \(low) AND \(column) < :lowest", "\(entry) >= \(high) AND \(column) > :highest",
        ] + (bound.time?.column.isNotNull ?? true || nullNeverExpires ? [] : ["\(entry) IS NULL"])
    }

    /// The row's time is a plausible number, except that it has a fraction. Such times are rare. To test all entries
    /// from the first plausible time on is cheaper than to let SQLite search for the end of the range.
    var fractional: String { "\(column) >= :lowest AND 1 / \(column) <> 0 AND +\(column) <= :highest" }
}
