import Pruning

/// A row that was put back.
package struct PutRow {
    /// By which its lease knows it; see ``Leases``.
    let fingerprint: UInt64
    /// Where it is, if no key tells it from others.
    let rowID: Int64?

    package init(fingerprint: UInt64, rowID: Int64? = nil) {
        (self.fingerprint, self.rowID) = (fingerprint, rowID)
    }
}

/// What became of one row.
package enum RestoreOutcome {
    case back(PutRow)
    /// An earlier restore had put it back.
    case wasBack
    case stays(RestoreSkip)
}

/// What became of some rows of a batch.
package struct RestoredRows {
    /// The positions of the rows that were put back.
    package private(set) var restored: [Int] = []
    private(set) var skipped: [RestoreSkip: Int64] = [:]
    private(set) var fingerprints: [UInt64] = []
    private(set) var places = Places()
    /// The positions of the rows that an earlier restore had put back.
    private(set) var returned: [Int] = []

    package init() {}

    /// The number of rows that were processed.
    package var count: Int { restored.count + Int(skipped.values.reduce(0, +)) }

    /// Counts rows that were not put back.
    package mutating func skip(_ reason: RestoreSkip, rows: Int = 1) {
        skipped[reason, default: 0] += Int64(rows)
    }

    mutating func note(_ outcome: RestoreOutcome, of position: Int) {
        switch outcome {
        case .back(let row):
            restored.append(position)
            fingerprints.append(row.fingerprint)
            if let rowID = row.rowID { places.add(rowID, at: position) }
        case .wasBack:
            returned.append(position)
            skip(.exists)
        case .stays(let reason): skip(reason)
        }
    }
}

/// How much of an archived batch was processed.
struct RestoreProgress {
    let batch: RestoreBatch
    private var done = 0
    /// The positions of the rows that are back.
    private(set) var back: Set<Int> = []

    init(_ batch: RestoreBatch) { self.batch = batch }

    var isDone: Bool { done == batch.rows.count }

    /// Whether no row was processed yet.
    var isNew: Bool { done == 0 }

    /// The positions of the next rows.
    func next(_ rows: Int) -> Range<Int> { batch.rows.indices[done...].prefix(rows) }

    mutating func add(_ rows: RestoredRows) {
        done += rows.count
        back.formUnion(rows.restored + rows.returned)
    }

    /// The rows that stay in the archive, in their order, and where earlier restores may have put those that are not
    /// processed yet.
    var remaining: (rows: [[ArchivedValue]], places: Places) {
        (
            batch.rows.indices.filter { !back.contains($0) }.map { batch.rows[$0] },
            batch.archived.places.moved(from: done, to: done - back.count)
        )
    }
}
