/// A way through a table's rows in some order, a slice at a time.
protocol Walk {
    /// The slice after `position`, of `rows` rows at the most. Read outside of any transaction: looking needs no lock.
    func slice(after position: WalkPosition, rows: Int, in db: Database) throws -> Slice
}

/// How far a walk has come.
enum WalkPosition {
    case start
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

/// Neighbouring rows that one batch looks at.
struct Slice {
    /// SQL that is true of the slice's rows.
    let terms: [String]
    /// What ``terms`` binds.
    let arguments: [String: DatabaseValue]
    /// Where the walk is when the slice is done.
    let end: WalkPosition
    /// The keys between which all rows of the table are the slice's; nil where it is of an index.
    var keys: KeyRange?

    /// Whether nothing comes after the slice.
    var isLast: Bool {
        if case .end = end { true } else { false }
    }
}
