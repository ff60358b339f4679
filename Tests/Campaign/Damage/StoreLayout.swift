import Foundation
import Synchronization
import TestSupport

/// How a store lies in its file.
struct StoreLayout: Sendable {
    /// The file beside the store that says what is not in it yet.
    enum Log: CaseIterable {
        case none, liveLog, hotJournal
    }

    let pageSize: Int
    let encoding: String
    let vacuum: String
    let log: Log

    init(using generator: inout SeededGenerator) {
        let sizes =
            [
                512, 512, 512, 512, 512, 1_024, 1_024, 1_024, 2_048, 2_048, 4_096, 4_096, 8_192, 16_384,
                32_768, 65_536,
            ]
        pageSize = sizes.randomElement(using: &generator) ?? 512
        encoding = ["UTF-8", "UTF-8", "UTF-16le", "UTF-16be"].randomElement(using: &generator) ?? "UTF-8"
        vacuum = ["NONE", "FULL", "INCREMENTAL"].randomElement(using: &generator) ?? "NONE"
        log = Log.allCases.randomElement(using: &generator) ?? .none
    }

    /// The endings of the names of a store's files.
    static let endings = ["", "-wal", "-journal"]
}

/// A whole store, in the bytes of its files.
struct StoreTemplate: Sendable {
    let shape: StoreShape
    let layout: StoreLayout
    /// The store, its write-ahead log and its rollback journal; empty where there is none.
    let files: [[UInt8]]
    let rows: StoreRows

    /// Makes the store in `directory`. Half of its rows are older than 100 days.
    init(_ shape: StoreShape, _ layout: StoreLayout, in directory: String, now: Int) throws {
        (self.shape, self.layout) = (shape, layout)
        let path = directory + "/template.sqlite"
        let copy = directory + "/copy.sqlite"
        defer {
            for ending in StoreLayout.endings + ["-shm"] {
                for name in [path, copy] { unlink(name + ending) }
            }
        }
        let store = try StoreFile(path)
        try store.execute(
            """
            PRAGMA page_size = \(layout.pageSize); PRAGMA encoding = '\(layout.encoding)';
            PRAGMA auto_vacuum = \(layout.vacuum); PRAGMA journal_mode = \(layout.log == .liveLog ? "WAL" : "DELETE");
            PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = 2; PRAGMA synchronous = NORMAL;
            CREATE TABLE scrap (v TEXT); CREATE TABLE other (id INTEGER PRIMARY KEY, v TEXT); \(shape.tables)
            CREATE TEMP VIEW numbered AS SELECT row_number() OVER (ORDER BY rank) AS n, * FROM
            (SELECT *, CAST(id AS INTEGER) AS rank FROM t);
            BEGIN; \(Self.rows(now)) \(shape.further) DELETE FROM scrap; COMMIT;
            """)
        if layout.log == .liveLog { try store.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
        // What is in the log or is rolled back: rows of each kind, moved and new.
        try store.execute(
            """
            BEGIN; UPDATE t SET x = x || ' again' WHERE CAST(id AS INTEGER) % 4 = 0;
            UPDATE other SET v = v || hex(zeroblob(60)); INSERT INTO scrap SELECT v FROM other; \
            \(layout.log == .hotJournal ? "" : "COMMIT")
            """)
        files = StoreLayout.endings.map { Self.bytes(path + $0) }
        guard LogSeal.sealing(files[1], pageSize: layout.pageSize) == files[1] else {
            throw UnsealedLog(layout: layout)
        }
        try Self.write(files, copy)
        rows = try StoreRows(copy, shape, now: now)
    }

    private static func rows(_ now: Int) -> String {
        (1...48).map { number in
            let age = number % 2 == 0 ? 110 + number : number % 80 + 1
            let length = [0, 3, 20, 60][number % 4]
            return """
                INSERT INTO t (id, at, x) VALUES (\((number * 37) % 101 + 100), \(now - age * 86_400 - 43_200), \
                'row \(number) \(String(repeating: "ä", count: length))');
                INSERT INTO other VALUES (\(number), 'other \(number) \(String(repeating: "o", count: length))');
                INSERT INTO scrap VALUES (hex(zeroblob(100)));
                """
        }.joined(separator: "\n")
    }

    static func bytes(_ path: String) -> [UInt8] {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) } ?? []
    }

    /// Writes the files of a store; empty ones are left out, but for the store itself.
    static func write(_ files: [[UInt8]], _ path: String) throws {
        for (ending, bytes) in zip(StoreLayout.endings, files) where ending.isEmpty || !bytes.isEmpty {
            try Data(bytes).write(to: URL(filePath: path + ending))
        }
    }
}

/// The seal of a whole log is not SQLite's own: the part would try nothing with it.
struct UnsealedLog: Error {
    let layout: StoreLayout
}

/// Whole stores, each made when it is first needed.
final class StoreTemplates: Sendable {
    private let made = Mutex<[Int: StoreTemplate]>([:])

    func template(_ number: Int, _ setting: Setting, now: Int) throws -> StoreTemplate {
        try made.withLock { made in
            if let template = made[number] { return template }
            var generator = setting.generator(.max - number)
            let shape = StoreShape.all[number % StoreShape.all.count]
            let template = try StoreTemplate(
                shape, StoreLayout(using: &generator), in: setting.work, now: now)
            made[number] = template
            return template
        }
    }
}
