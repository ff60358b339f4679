import Pruning

/// The outcome for some rows of an archived batch.
struct RestoredRows {
    var restored = 0
    var left: [[RowCoding.Value]] = []
    var skipped: [RestoreSkip: Int64] = [:]
    var fingerprints: [UInt64] = []
    /// The positions of the rows that were put back.
    var back: [Int] = []
    /// The rows that were put back into a table without a key.
    var inserted: [[RowCoding.Value]] = []

    mutating func skip(_ row: [RowCoding.Value], _ reason: RestoreSkip) {
        left.append(row)
        skipped[reason, default: 0] += 1
    }

    var count: Int { restored + left.count }
}

/// How much of an archived batch was processed.
struct RestoreProgress {
    let batch: ArchivedBatch
    let rows: [[RowCoding.Value]]
    var done = 0
    /// The rows that were not put back.
    var left: [[RowCoding.Value]] = []
    /// The positions of the rows that were put back.
    var back: Set<Int> = []

    /// Throws ``RowCoding/Unreadable`` if the rows cannot be read.
    init(_ batch: ArchivedBatch) throws(RowCoding.Unreadable) {
        self.batch = batch
        let width =
            batch.rows.columns.count + (batch.rows.tombstone == nil ? 0 : 1)
            + (batch.rows.witness.isEmpty ? 0 : 1)
        rows = try RowCoding.rows(in: batch.rows.bytes, columns: width)
        guard rows.count == batch.rows.count else { throw RowCoding.Unreadable() }
    }

    var isDone: Bool { done == rows.count }

    mutating func add(_ outcome: RestoredRows) {
        done += outcome.count
        left += outcome.left
        back.formUnion(outcome.back)
    }

    /// The rows that stay in the archive, in its encoding.
    var remaining: (bytes: [UInt8], count: Int64) {
        var bytes: [UInt8] = []
        let all = left + rows[done...]
        for value in all.joined() { RowCoding.append(value, to: &bytes) }
        return (bytes, Int64(all.count))
    }
}
