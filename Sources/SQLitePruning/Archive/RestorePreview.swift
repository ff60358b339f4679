import Foundation
import Pruning

/// What a restore would put back, and what it would not. Reads, and changes nothing.
struct RestorePreview {
    let part: ArchivedPart
    let archive: SQLiteArchive
    let view: SQLiteView
    /// The store's path.
    let place: String

    func take(_ control: RunControl) throws(StoreError) -> RestoredBatch {
        let batches = try archive.read("look for run \(part.runID)", control) { [part, archive] db in
            try SQLiteArchive.batchIDs(of: part, in: db).compactMap {
                try archive.batch($0, of: part, in: db)
            }
        }
        var restored: Int64 = 0
        var skipped: [RestoreReport.Skip: Int64] = [:]
        for batch in batches {
            let rows = Int64(batch.rows.count)
            switch try refused(of: batch) {
            case .success(let refused):
                if refused > 0 { skipped[.exists, default: 0] += refused }
                restored += rows - refused
            case .failure(let gone): skipped[gone.reason, default: 0] += rows
            }
        }
        let result = BatchResult(
            deleted: restored, dependentsDeleted: 0, visited: 0, held: .zero, isAlone: false, isLast: true)
        return RestoredBatch(result: result, skipped: skipped)
    }

    /// How many rows of `batch` meet one that is there; or why none can be put back.
    private func refused(
        of batch: SQLiteArchive.Batch
    ) throws(StoreError) -> Result<Int64, RestoreTarget.Gone> {
        try view.read("look for rows of \(part.table)") { db in
            do {
                let target = try RestoreTarget(part.table, columns: batch.columns, place: place, in: db)
                return .success(Int64(try batch.rows.count { try target.refuses($0, in: db) }))
            } catch let gone as RestoreTarget.Gone {
                return .failure(gone)
            }
        }
    }
}
