extension RetentionRule {
    /// The columns by which this rule finds its rows, apart from its conditions, and what they are for. After a mark of
    /// another rule in one of them, it would take other rows than a plan says. `isOnTable` says whether this rule is on the
    /// marked table, and `names` whether a keeper is a column of that.
    package func decidingColumns(
        isOnTable: Bool, names: (ColumnReference) throws -> Bool
    ) rethrows -> [(column: String, use: String)] {
        let time = isOnTable ? [expiry.column].compactMap(\.self) : []
        return time.map { ($0, "has the rows' time for rule \(name)") }
            + (isOnTable ? keepLastPer : []).map { ($0, "forms the groups of rule \(name)") }
            + (isOnTable ? orphansOf.map { [$0.column] } ?? [] : []).map {
                ($0, "refers to the owner for rule \(name)")
            }
            + (try keptBy.filter(names)).map { ($0.column, "keeps the rows of rule \(name)") }
    }
}
