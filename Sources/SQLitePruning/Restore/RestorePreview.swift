import Pruning

/// What a restore would put back, and what it would not. It only reads.
struct RestorePreview {
    let part: ArchivedPart
    let archive: SQLiteArchive
    let view: SQLiteView
    /// The store's path.
    let place: String

    func take(_ control: RunControl) throws(StoreError) -> RestoredBatch {
        let batches = try archive.read("look for run \(part.runID)", control) { [part] db in
            try SQLiteArchive.batches(of: part, in: db)
        }
        var restored: Int64 = 0
        var skipped: [RestoreSkip: Int64] = [:]
        for (id, rows) in batches {
            do throws(StoreError) {
                let batch = try archive.read("read an archived batch", control) { [part, archive] db in
                    try archive.batch(id, of: part, in: db)
                }
                guard let batch else { continue }
                if batch.head.encoding != .sqlite {
                    throw batch.head.encoding.mismatch(of: part, place: place)
                }
                switch try refused(of: batch) {
                case .success(let refused):
                    skipped.merge(refused, uniquingKeysWith: +)
                    restored += rows - refused.values.reduce(0, +)
                case .failure(let gone): skipped[gone.reason, default: 0] += rows
                }
            } catch  where error.isOfArchive(archive) {
                skipped[.damaged, default: 0] += rows
            }
        }
        return RestoredBatch(
            restored: restored, skipped: skipped,
            work: BatchWork(visited: 0, changed: 0, lockTime: .zero, isAlone: false, isLast: true))
    }

    /// How many rows of `batch` would not be put back, by reason; or why none can be.
    private func refused(
        of batch: SQLiteArchive.Batch
    ) throws(StoreError) -> Result<[RestoreSkip: Int64], RestoreTarget.Gone> {
        try view.read("look for rows of \(part.table)") { db in
            do {
                let target = try RestoreTarget(part.table, for: batch, place: place, in: db)
                var refused: [RestoreSkip: Int64] = [:]
                for (position, row) in batch.rows.enumerated() {
                    let isThere = try target.whereabouts(of: position, in: batch, db) != .unknown
                    let obstacle = try isThere ? .exists : target.obstacle(to: row, in: db)
                    if let obstacle { refused[obstacle, default: 0] += 1 }
                }
                return .success(refused)
            } catch let gone as RestoreTarget.Gone {
                return .failure(gone)
            }
        }
    }
}
