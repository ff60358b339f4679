/// What changed in the store since an observer was last told: by the app's own contexts, or by another process.
public struct StoreChange: Hashable, Sendable {
    /// How many rows a table had, and has. That rows went is not seen where as many came.
    public struct Rows: Hashable, Sendable {
        /// When the observer was last told.
        public let before: Int
        /// Now.
        public let after: Int
    }

    /// The tables with more rows or fewer. Empty when rows only became others; now and then also when nothing did: that
    /// SQLite's log begins anew cannot be told from that.
    public let tables: [ReaderTable: Rows]
    /// The rows that a merged deletion says it took, by table.
    public let deleted: [ReaderTable: [String]]

    /// This change and the one after it, as one.
    func followed(by later: StoreChange) -> StoreChange {
        let tables = tables.merging(later.tables) { Rows(before: $0.before, after: $1.after) }
        return StoreChange(
            tables: tables.filter { $0.value.before != $0.value.after },
            deleted: deleted.merging(later.deleted) { $0 + $1 })
    }
}
