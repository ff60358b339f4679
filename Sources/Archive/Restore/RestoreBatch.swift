import Pruning
import Retention

/// A batch of the archive whose rows are read.
package struct RestoreBatch {
    package let archived: ArchivedBatch
    package let rows: [[ArchivedValue]]

    /// Nil if the rows are not what their head says.
    init?(_ archived: ArchivedBatch) {
        guard let rows = try? archived.rows.values(),
            Set(archived.rows.columns).count == archived.rows.columns.count
        else { return nil }
        (self.archived, self.rows) = (archived, rows)
    }
}

/// What the archive has of a batch.
enum FoundBatch {
    case whole(RestoreBatch)
    case damaged
    case expired
}

extension RowArchive {
    /// A batch of `part` that is to go into a store of this format. Throws if it is of another kind of store.
    func find(
        _ id: Int64, of part: ArchivedPart, for format: StoreFormat, at place: String, _ control: RunControl
    ) throws(StoreError) -> FoundBatch {
        let found: ArchivedBatch?
        do throws(StoreError) {
            found = try batch(id, of: part, control)
        } catch  where error.kind == .damaged {
            return .damaged
        }
        guard let found else { return .expired }
        try found.check(format, of: part, place: place)
        return RestoreBatch(found).map(FoundBatch.whole) ?? .damaged
    }
}
