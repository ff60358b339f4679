import Retention

/// How many rows a table has: counted if that is quick, else by the server's estimates.
struct RowCount {
    private let relation: Relation
    private let leaves: [Relation]
    private let pages: Int64

    init(of relation: Relation, _ leaves: [Relation], pages: Int64) {
        (self.relation, self.leaves, self.pages) = (relation, leaves, pages)
    }

    func take(in connection: Connection) throws -> (rows: Int64, precision: TableSketch.Precision) {
        if pages <= Self.mostCountedPages {
            let found = try connection.query(
                "SELECT count(*) FROM (SELECT 1 FROM \(relation.sql) LIMIT \(Self.mostCounted)) counted")
            let rows = found.integer(0, 0) ?? 0
            if rows < Self.mostCounted { return (rows, .exact) }
        }
        let known = leaves.filter { $0.estimatedRows > 0 && $0.estimatedPages > 0 }
        let (rows, seen) = known.reduce((0.0, Int64(0))) {
            ($0.0 + $1.estimatedRows, $0.1 + $1.estimatedPages)
        }
        // A table that nobody has analyzed: rows of a usual length.
        let perPage = seen > 0 ? rows / Double(seen) : Self.usualRowsOfPage
        return (Int64(min(Double(pages) * perPage, 1e15)), .about)
    }

    /// 160 MB, which are counted in a fraction of a second where they are in memory.
    private static let mostCountedPages: Int64 = 20_000
    private static let mostCounted: Int64 = 300_001
    private static let usualRowsOfPage = 20.0
}
