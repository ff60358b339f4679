import SQLite

/// The walk through the table in key order. Neighbouring rows share pages, so a batch writes each page once.
struct TableWalk: Walk {
    let condition: ExpiryCondition

    func slice(after position: WalkPosition, rows: Int, in db: Database) throws -> Slice {
        let start: KeyRange =
            if case .pastKey(let key) = position { KeyRange(after: key) } else { KeyRange(after: nil) }
        let (range, end) = try start.prefix(rows, of: [], [:], condition.bound.table, in: db)
        return Slice(
            terms: range.terms(condition.bound.table), arguments: range.arguments,
            end: end.map { .pastKey($0) } ?? .end, keys: range)
    }
}
