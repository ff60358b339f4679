import TestSupport
import Foundation
import Testing

/// Stores that cannot be pruned: each is left as it is, with a reason, and the others are pruned.
@Suite struct BadStoreTests {
    private static func configuration(_ stores: String...) -> String {
        stores.map { store in
            """
            [store.\(store)]
            path = "\(store).sqlite"
            [rule.\(store)-1-items]
            store = "\(store)"
            table = "item"
            age_column = "timestamp"
            keep = "183d"
            [rule.\(store)-2-tweets]
            store = "\(store)"
            table = "tweet"
            age_column = "created_at"
            keep = "30d"

            """
        }.joined()
    }

    /// A state directory with copies of a sample store.
    private func state(_ stores: String..., records: Int = 10_000) throws -> StateDirectory {
        let state = try StateDirectory.sampled(records: records)
        for store in stores {
            try Program(path: "cp", arguments: [state.storePath, "\(state.path)/\(store).sqlite"]).run()
                .checked()
        }
        return state
    }

    @Test("a file that is not a database is left alone", arguments: [100, 4_096, 100_000])
    func notADatabase(bytes: Int) throws {
        let state = try state("healthy")
        try state.sandbox.write("state/broken.sqlite", String(repeating: "A", count: bytes))
        let before = FileTree.Entry(state.path + "/broken.sqlite")
        let ended = try state.runNow(configuration: Self.configuration("broken", "healthy")).run()
        #expect(ended.status == 65, "\(ended)")
        let report = try ended.report()
        #expect(report["broken-1-items"]?.reason?.contains("\(state.path)/broken.sqlite: ") == true)
        #expect(report["healthy-1-items"]?.deleted == 390)
        #expect(FileTree.Entry(state.path + "/broken.sqlite") == before)
    }

    @Test("where the default store is no database, the other one is pruned")
    func defaultStoreIsNoDatabase() throws {
        let state = try state("healthy")
        try state.sandbox.write("state/shared/reader.sqlite", "not a database")
        let ended = try state.runNow(configuration: Self.configuration("reader", "healthy")).run()
        #expect(ended.status == 65, "\(ended)")
        #expect(try ended.report()["healthy-1-items"]?.deleted == 390)
    }

    @Test(
        "in a damaged store nothing is deleted once the damage is found, and the other store is pruned",
        arguments: [
            "name = 'item' AND pagetype = 'leaf'", "name = 'item' AND pagetype = 'internal'",
            "name = 'item_day' AND pagetype = 'leaf'", "name = 'item_day' AND pagetype = 'internal'",
        ])
    func damagedStore(pages: String) throws {
        let state = try state("broken", "healthy")
        let broken = Database(path: state.path + "/broken.sqlite")
        let page = try broken.count("SELECT pageno FROM dbstat WHERE \(pages) LIMIT 1")
        try overwrite(page: page, of: broken.path)
        let run = try state.runNow(configuration: Self.configuration("broken", "healthy"))
        let ended = try run.run()
        #expect(ended.status == 65, "\(ended)")
        let report = try ended.report()
        #expect(report["broken-1-items"]?.outcome == "failed")
        #expect(report["broken-2-tweets"]?.outcome == "failed")
        #expect(report["broken-2-tweets"]?.deleted == 0)
        #expect(report["healthy-1-items"]?.deleted == 390)
        #expect(report["healthy-2-tweets"]?.deleted == 400)
        #expect(try broken.count("SELECT count(*) FROM tweet") == 1_000)

        let contents = FileManager.default.contents(atPath: broken.path)
        #expect(try run.run().status == 65)
        #expect(FileManager.default.contents(atPath: broken.path) == contents)
        let check = try state.pruned("check", "--config", state.sandbox.path + "/pruned.toml").run()
        #expect(check.status == 65, "\(check)")
    }

    @Test("a run through a table whose order goes back ends, with the status of a damaged store")
    func brokenOrder() throws {
        let state = try state("healthy")
        let broken = Database(path: state.path + "/broken.sqlite")
        // Ids of two bytes; nothing has expired but the last row.
        try broken.query(
            """
            PRAGMA page_size = 512;
            CREATE TABLE item (id INTEGER PRIMARY KEY, timestamp INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 15000)
            INSERT INTO item SELECT i, iif(i = 15000, 1500000000, unixepoch()) FROM n;
            """)
        let root = try broken.count("SELECT rootpage FROM sqlite_schema") - 1
        var bytes = try Data(contentsOf: URL(filePath: broken.path))
        // The root says of the first page that it leads to, which the second cell names, that what it leads to has all ids up to 16,383.
        let cell = root * 512 + 12 + 2
        let place = root * 512 + Int(bytes[cell]) << 8 + Int(bytes[cell + 1])
        bytes.replaceSubrange(place + 4..<place + 6, with: [0xFF, 0x7F])
        try bytes.write(to: URL(filePath: broken.path))
        let configuration = Self.configuration("broken", "healthy").replacing(
            """
            [rule.broken-2-tweets]
            store = "broken"
            table = "tweet"
            age_column = "created_at"
            keep = "30d"

            """, with: "")
        let ended = try state.runNow(configuration: configuration).run()
        #expect(ended.status == 65, "\(ended)")
        #expect(try ended.report()["broken-1-items"]?.reason?.contains("are out of order") == true)
        #expect(try ended.report()["healthy-1-items"]?.deleted == 390)
    }

    @Test("an empty file in a foreign place gets no tables")
    func emptyFile() throws {
        let state = try state("healthy")
        try state.sandbox.write("state/empty.sqlite", "")
        let ended = try state.runNow(configuration: Self.configuration("empty")).run()
        #expect(ended.status == 1, "\(ended)")
        #expect(ended.errors.contains("there is no table \"item\""))
        #expect(FileTree.Entry(state.path + "/empty.sqlite")?.size == 0)
        #expect(!FileTree(state.path).names.contains { $0.hasPrefix("empty.sqlite-") })
    }

    @Test("a foreign store that is missing is skipped, which says so, and is not created")
    func missingStore() throws {
        let state = try state("healthy")
        let ended = try state.runNow(configuration: Self.configuration("missing", "healthy")).run()
        #expect(ended.status == 74, "\(ended)")
        #expect(ended.errors.contains("missing.sqlite: there is no such file"))
        #expect(try ended.report()["missing-1-items"]?.deleted == 0)
        #expect(!FileTree(state.path).names.contains { $0.hasPrefix("missing") })
    }

    @Test(
        "what is write-protected stays so, even for root",
        arguments: [("broken.sqlite", 0o444), (".", 0o555)])
    func writeProtected(name: String, mode: mode_t) throws {
        let state = try state("broken", records: 100)
        // In a directory of its own: the state directory itself must be writable.
        let directory = try state.sandbox.makeDirectory("app")
        rename(state.path + "/broken.sqlite", directory + "/broken.sqlite")
        chmod(directory + "/" + name, mode)
        defer { chmod(directory, 0o755) }
        let before = FileTree(directory)
        let text = Self.configuration("broken").replacing(
            "\"broken.sqlite\"", with: "\"\(directory)/broken.sqlite\"")
        let ended = try state.runNow(configuration: text).run()
        #expect(ended.status == 74, "\(ended)")
        let report = try ended.report()
        #expect(report["broken-1-items"]?.reason?.contains("write-protected") == true)
        #expect(report["broken-1-items"]?.hint != nil)
        #expect(FileTree(directory) == before)
        let check = try state.pruned("check", "--config", state.sandbox.path + "/pruned.toml").run()
        #expect(check.status == 74, "\(check)")
    }

    @Test(
        "a link, a second name and what is no file are refused",
        arguments: ["symbolic", "hard", "directory", "pipe"])
    func notOneFile(kind: String) throws {
        let state = try state("target", records: 100)
        let (target, path) = (state.path + "/target.sqlite", state.path + "/broken.sqlite")
        switch kind {
        case "symbolic": symlink(target, path)
        case "hard": link(target, path)
        case "directory": mkdir(path, 0o755)
        default: mkfifo(path, 0o600)
        }
        let ended = try state.runNow(configuration: Self.configuration("broken")).run(seconds: 10)
        #expect(ended.status == 74, "\(ended)")
        #expect(try state.runNow.run().report()["items"]?.deleted != nil)
        #expect(try Database(path: target).count("SELECT count(*) FROM item") == 10)
    }

    private func overwrite(page: Int, of path: String) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64((page - 1) * 4_096))
        try file.write(contentsOf: Data(repeating: 0xFF, count: 200))
        try file.close()
    }
}
