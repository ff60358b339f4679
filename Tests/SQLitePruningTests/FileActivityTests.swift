import SQLite
import TestSupport
import Testing

@testable import Pruning
@testable import SQLitePruning

/// What SQLite does with files in the middle of one step.
struct FileActivityTests {
    @Test(
        "each page that is read or written is a sign of life of the thread, in one step of a statement, too")
    func readsAndWrites() throws {
        let app = try TemporaryStore(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE t (id INTEGER PRIMARY KEY, body TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
            INSERT INTO t SELECT i, hex(zeroblob(4000)) FROM n;
            """)
        let db = try Database(uri: "file:\(app.path)", isReadOnly: false, busyTimeout: 0)
        FileLayer.onTransfer(ProgressHandler.noteTransfer)
        let activity = ThreadActivity.ofThisThread()
        let (begin, steps) = (activity.transfers, activity.steps)
        _ = try db.value("SELECT sum(length(body)) FROM t")
        let read = activity.transfers
        #expect(read - begin >= 500)
        try db.execute("PRAGMA wal_autocheckpoint = 0")
        try db.execute("UPDATE t SET body = hex(zeroblob(3000))")
        let written = activity.transfers
        try db.execute("PRAGMA wal_checkpoint")
        #expect(activity.transfers - written >= 500)
        #expect(activity.steps == steps)
    }
}
