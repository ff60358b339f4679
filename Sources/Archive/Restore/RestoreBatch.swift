import Pruning
import Retention

/// A batch of the archive whose rows are read.
package struct RestoreBatch {
    /// The batch without the bytes of its rows.
    package let archived: ArchivedBatch
    package let rows: [[ArchivedValue]]

    /// Nil if the rows are not what their head says.
    init?(_ archived: ArchivedBatch) {
        guard let rows = try? archived.rows.values(),
            Set(archived.rows.columns).count == archived.rows.columns.count
        else { return nil }
        var archived = archived
        archived.rows.bytes = []
        (self.archived, self.rows) = (archived, rows)
    }
}

/// What the archive has of a batch.
enum FoundBatch {
    case whole(RestoreBatch)
    case damaged
    case expired

    /// A batch of `part`, which `read` returns, that is to go into a store of this format. Throws if it is of another kind of
    /// store.
    init(
        of part: ArchivedPart, for format: StoreFormat, at place: String,
        _ read: () throws(StoreError) -> ArchivedBatch?
    ) throws(StoreError) {
        let found: ArchivedBatch?
        do throws(StoreError) {
            found = try read()
        } catch  where error.kind == .damaged {
            self = .damaged
            return
        }
        guard let found else {
            self = .expired
            return
        }
        try found.check(format, of: part, place: place)
        self = RestoreBatch(found).map(FoundBatch.whole) ?? .damaged
    }
}
