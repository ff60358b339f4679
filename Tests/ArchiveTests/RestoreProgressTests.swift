import Pruning
import Retention
import Testing

@testable import Archive

struct RestoreProgressTests {
    /// Five rows, the last of which an earlier restore may have put at rowid 50.
    private func batch() throws -> RestoreBatch {
        let rows = ArchivedRows(columns: ["id"]).with((0..<5).map { [.integer($0)] })
        var places = Places()
        places.add(50, at: 4)
        return try #require(
            RestoreBatch(
                ArchivedBatch(id: 1, rows: rows, isDeleted: true, isInReturn: true, places: places)))
    }

    @Test("what stays in the archive keeps its order, whichever row was judged first")
    func order() throws {
        var progress = RestoreProgress(try batch())
        var rows = RestoredRows()
        rows.note(.stays(.exists), of: 1)
        rows.note(.back(PutRow(fingerprint: 7)), of: 2)
        rows.skip(.refused)
        progress.add(rows)
        #expect(progress.remaining.rows == [0, 1, 3, 4].map { [.integer($0)] })
        #expect(progress.remaining.places[3] == [50] && progress.remaining.places[4].isEmpty)
        #expect(progress.back == [2] && !progress.isNew && !progress.isDone)
        #expect(progress.next(10) == 3..<5)
    }
}
