import Foundation
import TestSupport
import Testing

@testable import SQLitePruning

struct BackgroundCheckpointTests {
    @Test(
        "in the background a log is written into the store that is pruned, and never into one that the app has put in its place",
        arguments: [false, true])
    func place(isReplaced: Bool) throws {
        let app = try TemporaryStore("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
        let db = try opened(app.path)
        defer { db.close() }
        #expect(try db.isWAL())
        let background = BackgroundCheckpoint(of: db)
        let directory = app.directory.path
        if isReplaced {
            for file in ["app.sqlite", "app.sqlite-wal", "app.sqlite-shm"] {
                try FileManager.default.moveItem(
                    atPath: "\(directory)/\(file)", toPath: "\(directory)/old-\(file)")
            }
        }

        let owner = try opened(app.path, isNew: isReplaced)
        defer { owner.close() }
        try owner.execute("PRAGMA journal_mode = WAL")
        try owner.execute("CREATE TABLE news (x)")
        #expect(try owner.isWAL())
        #expect(LogIndex(of: owner)?.backfilled == 0)
        background.follow(BackgroundCheckpoint.step - 1)
        background.wait()
        #expect(LogIndex(of: owner)?.backfilled == 0)
        background.follow(BackgroundCheckpoint.step)
        background.wait()
        #expect(LogIndex(of: owner)?.isBackfilled == !isReplaced)
    }

    private func opened(_ path: String, isNew: Bool = false) throws -> Database {
        if isNew { try Data().write(to: URL(filePath: path)) }
        return try Database(uri: "file:\(path)", isReadOnly: false, busyTimeout: 1_000)
    }
}
