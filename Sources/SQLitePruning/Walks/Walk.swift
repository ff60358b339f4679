import Pruning
import SQLite

/// Goes through a table's rows in some order, one slice after another.
protocol Walk {
    /// The slice after `position`, with at most `rows` rows. It is read outside of any transaction, because it needs no
    /// lock.
    func slice(after position: WalkPosition, rows: Int, in db: Database) throws -> Slice
}

/// How far a walk has got.
enum WalkPosition {
    case start
    /// In key order from the last row to the first: before all rows.
    case top
    /// In this order, before this key.
    case upToKey(TableKey)
    /// In key order, past this key.
    case pastKey(TableKey)
    /// In index order, before the entries of this value.
    case beforeEntry(DatabaseValue)
    /// In index order, among the entries of this value, past this key; nil before the first.
    case amongEntries(DatabaseValue, past: TableKey?)
    /// In index order, past the entries of this value.
    case pastEntry(DatabaseValue)
    case end
}

extension WalkPosition {
    /// Whether a walk has advanced from `start`. The values and keys of its positions only increase, or only
    /// decrease, so that it ends even in a damaged store. SQLite compares them.
    func isPast(_ start: WalkPosition, of bound: BoundRule, in db: Database) throws -> Bool {
        switch (start, self) {
        case (.start, _), (.top, _), (_, .end), (.amongEntries, .pastEntry),
            (.amongEntries(_, nil), .amongEntries):
            true
        case (.pastKey(let old), .pastKey(let new)), (.amongEntries(_, let old?), .amongEntries(_, let new?)):
            try new.isPast(old, in: bound.table, db)
        case (.upToKey(let old), .upToKey(let new)): try old.isPast(new, in: bound.table, db)
        case (.beforeEntry(let old), .beforeEntry(let new)), (.pastEntry(let old), .beforeEntry(let new)),
            (.pastEntry(let old), .amongEntries(let new, _)), (.pastEntry(let old), .pastEntry(let new)):
            try Self.holds(":new > :old", old, new, bound, in: db)
        case (.beforeEntry(let old), .amongEntries(let new, _)), (.beforeEntry(let old), .pastEntry(let new)):
            try Self.holds(":new >= :old", old, new, bound, in: db)
        default: false
        }
    }

    /// Throws if the walk has not advanced. In a damaged store the next rows may be earlier ones, and the walk would
    /// not end.
    func checkIsPast(_ start: WalkPosition, of bound: BoundRule, path: String, in db: Database) throws {
        guard try !isPast(start, of: bound, in: db) else { return }
        throw StoreError(
            .damaged, operation: "apply rule \(bound.rule.name)", place: path,
            cause: "the rows of \(bound.table.name) are out of order",
            hint: "look at the store with `PRAGMA integrity_check`")
    }

    private static func holds(
        _ comparison: String, _ old: DatabaseValue, _ new: DatabaseValue, _ bound: BoundRule, in db: Database
    ) throws -> Bool {
        try db.value(
            "SELECT \(comparison) COLLATE \((bound.time?.column.collation ?? "BINARY").quotedIdentifier)",
            ["old": old, "new": new]
        ).integer == 1
    }
}

/// Adjacent rows that one batch looks at.
struct Slice {
    /// SQL that is true of the slice's rows.
    let terms: [String]
    /// The parameters of ``terms``.
    let arguments: [String: DatabaseValue]
    /// The position of the walk after the slice.
    let end: WalkPosition
    /// The range of keys, if the slice has all rows of the table in that range; nil for a slice of an index.
    var keys: KeyRange?

    /// Whether nothing comes after the slice.
    var isLast: Bool {
        if case .end = end { true } else { false }
    }
}

/// The rows that the next batch looks at, and what was found about them before the batch has the lock.
struct ChosenSlice {
    let slice: Slice
    /// The data version when the slice was chosen.
    let dataVersion: Int64
    /// Whether the keeper keeps none of the slice's rows.
    let keepsNone: Bool
}

/// The walk through the table in key order, or the opposite order. Adjacent rows share pages, so a batch writes each page once.
struct TableWalk: Walk {
    let condition: ExpiryCondition

    func slice(after position: WalkPosition, rows: Int, in db: Database) throws -> Slice {
        let table = condition.bound.table
        let (range, end): (KeyRange, WalkPosition?)
        switch position {
        case .top, .upToKey:
            let upTo: TableKey? = if case .upToKey(let key) = position { key } else { nil }
            let found = try KeyRange(after: nil, upTo: upTo).suffix(rows, of: table, in: db)
            (range, end) = (found.range, found.start.map { .upToKey($0) })
        default:
            let after: TableKey? = if case .pastKey(let key) = position { key } else { nil }
            let found = try KeyRange(after: after).prefix(rows, of: [], [:], table, in: db)
            (range, end) = (found.range, found.end.map { .pastKey($0) })
        }
        return Slice(terms: range.terms(table), arguments: range.arguments, end: end ?? .end, keys: range)
    }
}
