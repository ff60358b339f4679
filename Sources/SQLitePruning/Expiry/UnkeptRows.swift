import SQLite

/// The SQL of "no keeper keeps this row".
extension ExpiryCondition {
    /// No keeper keeps the row; nil if the rule has no keeper.
    var notKept: String? { notKept(bound.table.name) }

    /// The row's key is in the range of keys that the keeper may have, if its values are between the integers
    /// `:keeperLowest` and `:keeperHighest`. The casts make SQLite compare the key as with the keeper's column. The `+`
    /// prevents SQLite from searching by the key when an index finds the rows to be judged.
    var mayBeKept: String? {
        bound.keepers.first.map {
            let key = bound.table.column($0.key)
            return "+\(key) >= CAST(:keeperLowest AS INTEGER) AND +\(key) <= CAST(:keeperHighest AS INTEGER)"
        }
    }

    /// The parameters `:keeperLowest` and `:keeperHighest`.
    static func keeperLimits(_ lowest: Int64, _ highest: Int64) -> [String: DatabaseValue] {
        ["keeperLowest": .int64(lowest), "keeperHighest": .int64(highest)]
    }

    /// No row of a keeper has the key of `row`, which is the name of a row of the rule's table.
    ///
    /// The keeper's row has a name of its own, because the keeper may be the rule's table itself.
    func notKept(_ row: String) -> String? {
        let terms = bound.keepers.map { notKept(row, by: $0) }
        return terms.isEmpty ? nil : terms.joined(separator: " AND ")
    }

    /// This keeper does not keep the row of the rule's table.
    func notKept(by keeper: Keeper) -> String { notKept(bound.table.name, by: keeper) }

    private func notKept(_ row: String, by keeper: Keeper) -> String {
        let other = row + " keeper"
        let stays = notGone(other, of: keeper.table.name)
        return keeper.searches.map { search in
            let rows = { (terms: [String]) in
                "FROM \(keeper.rows(other, search)) WHERE \((terms + stays).joined(separator: " AND "))"
            }
            guard search.readsAll else {
                return "NOT EXISTS (SELECT 1 \(rows([keeper.isFound(other, for: row, search)])))"
            }
            // SQLite evaluates this subquery once for a statement. A row without a key is not kept.
            let value = keeper.value(of: other)
            return
                "(\(keeper.searched(for: row, search)) IN (SELECT \(value) \(rows(["\(value) IS NOT NULL"])))) IS NOT 1"
        }.joined(separator: " AND ")
    }

    /// The name of the keeper's row.
    var keeperRow: String { bound.table.name + " keeper" }

    /// SQL terms: no rule that is presumed done deletes the row of this keeper, directly or by a cascade. Empty if no
    /// such rule deletes rows of that table.
    func stays(_ keeper: Keeper) -> [String] { notGone(keeperRow, of: keeper.table.name) }
}
