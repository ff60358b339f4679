import Pruning

/// What a restore would put back, and what it would not. It only reads.
package struct RestorePreview<Look: RestoreLook> {
    private let part: ArchivedPart
    private let archive: any RowArchive
    private let look: Look

    package init(of part: ArchivedPart, from archive: any RowArchive, into look: Look) {
        (self.part, self.archive, self.look) = (part, archive, look)
    }

    package func take(_ control: RunControl) throws(StoreError) -> RestoredBatch {
        var restored: Int64 = 0
        var skipped: [RestoreSkip: Int64] = [:]
        for (id, rows) in try archive.batches(of: part, control) {
            let refused: [RestoreSkip: Int64]
            let found = try FoundBatch(of: part, for: look.format, at: look.place) { () throws(StoreError) in
                try archive.batch(id, of: part, control)
            }
            switch found {
            case .expired: continue
            case .damaged: refused = [.damaged: rows]
            case .whole(let batch): refused = try self.refused(of: batch)
            }
            skipped.merge(refused, uniquingKeysWith: +)
            restored += rows - refused.values.reduce(0, +)
        }
        return RestoredBatch(
            restored: restored, skipped: skipped,
            work: BatchWork(visited: 0, changed: 0, lockTime: .zero, isAlone: false, isLast: true))
    }

    /// How many rows of `batch` would not be put back, by reason.
    private func refused(of batch: RestoreBatch) throws(StoreError) -> [RestoreSkip: Int64] {
        try look.look(at: batch) { find in
            do {
                let target = try find()
                return try batch.rows.indices.reduce(into: [:]) { refused, position in
                    let isThere = try target.whereabouts(of: position, in: batch, besides: []) != .unknown
                    let obstacle = try isThere ? .exists : target.obstacle(to: batch.rows[position])
                    if let obstacle { refused[obstacle, default: 0] += 1 }
                }
            } catch let none as NoTarget {
                return [none.reason: Int64(batch.rows.count)]
            }
        }
    }
}
