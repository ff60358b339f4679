import FoundationEssentials
import Pruning
import Retention

/// What the archive prints of a part.
extension ArchiveFile {
    /// The text of a part from `position` on, so much at a time as a worker may tell. There is none of rows that have
    /// expired meanwhile.
    package func text(
        of part: ArchivedPart, as format: ExportFormat, from position: ExportPosition, _ control: RunControl
    ) throws(StoreError) -> ExportedText {
        var (text, position) = (Data(), position)
        for (id, _) in try batches(of: part, control) where id >= position.batch {
            guard let batch = try batch(id, of: part, control) else { continue }
            let whole = try self.text(of: batch, in: part, as: format, after: position.columns)
            let start = id == position.batch ? min(position.byte, whole.count) : 0
            let piece = whole.dropFirst(start).prefix(Self.most - text.count)
            text += piece
            guard start + piece.count == whole.count else {
                position = ExportPosition(batch: id, byte: start + piece.count, columns: position.columns)
                return ExportedText(text: text, next: position)
            }
            position = ExportPosition(batch: id + 1, columns: batch.rows.columns)
        }
        return ExportedText(text: text, next: nil)
    }

    /// A batch of other `columns` than the one before it has a header of its own.
    private func text(
        of batch: ArchivedBatch, in part: ArchivedPart, as format: ExportFormat, after columns: [String]?
    ) throws(StoreError) -> Data {
        let text = RowText(part: part, rows: batch.rows, format: format)
        do throws(RowEncoding.Unreadable) {
            return try Data(((columns == batch.rows.columns ? "" : text.header) + text.lines()).utf8)
        } catch {
            throw StoreError(
                .damaged, operation: "read batch \(batch.id)", place: path,
                cause: "its rows are not as they were written")
        }
    }

    private static let most = 6 << 20
}
