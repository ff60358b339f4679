import Pruning
import Retention
import SQLite

/// How many rows of a task are expired and, where somebody asks, which.
struct CountedRows {
    private(set) var census = Census(expired: 0, implausible: 0)
    /// Which rows are expired; nil where nobody asked.
    private(set) var expired: RowsFingerprint?

    /// None so far.
    init(telling hashes: RowHashes?) {
        expired = hashes.map { _ in RowsFingerprint() }
    }

    /// All rows of the table.
    init(_ condition: ExpiryCondition, telling hashes: RowHashes?, in db: Database) throws {
        self.init(telling: hashes)
        census = try TableCensus(condition: condition).take(in: db).census
        if census.expired > 0 { expired = try hashes?.expired(by: condition, in: db) }
    }

    /// The rows of a slice of the table.
    init(
        _ slice: Slice, _ condition: ExpiryCondition, _ kept: KeptRows?, telling hashes: RowHashes?,
        in db: Database
    ) throws {
        self.init(telling: hashes)
        census = try TableCensus(condition: condition).take(slice, kept, in: db)
        if census.expired > 0 { expired = try hashes?.expired(by: condition, of: slice, in: db) }
    }

    /// Adds the rows of another slice.
    mutating func add(_ other: CountedRows) {
        census = Census(
            expired: census.expired + other.census.expired,
            implausible: census.implausible + other.census.implausible)
        if let some = expired, let others = other.expired { expired = some + others }
    }
}
