import Foundation
import Testing

/// A disk that is full under the archive alone.
@Suite(.serialized) struct ArchiveDiskTests {
    private static func configuration(_ store: String) -> String {
        let rules = [("archived", true), ("forgotten", false)].map { table, archives in
            """
            [rule.\(table)]
            table = "\(table)"
            age_column = "at"
            keep = "30d"
            archive = \(archives)
            guard = { max_share = 1 }
            """
        }
        return "[store.s]\npath = \"\(store)\"\n" + rules.joined(separator: "\n")
    }

    @Test("a disk that is full under the archive alone", .root, arguments: [0, 600])
    func fullDisk(kilobytes: Int) throws {
        let disk = try SmallDisk(megabytes: 12)
        let state = try StateDirectory(at: disk.path + "/state", prefix: disk.prefix)
        try disk.shell("mkdir state")
        let store = Database(path: state.sandbox.path + "/s.sqlite")
        try store.query(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE archived (id INTEGER PRIMARY KEY, x, at INTEGER);
            CREATE TABLE forgotten (id INTEGER PRIMARY KEY, at INTEGER);
            INSERT INTO archived SELECT value, hex(randomblob(50)), unixepoch() - 60 * 86400
                FROM generate_series(1, 30000);
            INSERT INTO forgotten SELECT value, unixepoch() - 60 * 86400 FROM generate_series(1, 3000);
            CREATE TABLE original AS SELECT * FROM archived;
            """)
        let configuration = try state.configuration(Self.configuration(store.path))
        let run = state.pruned("--run-now", "--json", "--config", configuration)
        try disk.fill(leaving: kilobytes)

        let ended = try run.run()
        #expect(ended.status == 74, "\(ended)")
        let report = try ended.report()
        let rule = try #require(report["archived"])
        #expect(rule.outcome == "failed" && rule.reason?.contains("archive.sqlite") == true, "\(ended)")
        #expect(rule.hint?.contains("make room") == true, "\(ended)")
        #expect(rule.deleted < 30_000 && (kilobytes == 0) == (rule.deleted == 0), "\(ended)")
        // The disk that the store is on has room.
        #expect(report["forgotten"]?.deleted == 3_000, "\(ended)")

        try disk.shell("rm filler")
        #expect(try store.health() == "ok")
        #expect(try store.count("SELECT count(*) FROM archived") == 30_000 - rule.deleted)
        #expect(try run.run().checked().report()["archived"]?.deleted == 30_000 - rule.deleted)
        let archive = Database(path: state.path + "/archive/s/archive.sqlite", prefix: disk.prefix)
        #expect(try archive.health() == "ok")
        for runID in try archive.query("SELECT DISTINCT run_id FROM batch").split(separator: "\n") {
            try state.pruned("restore", String(runID), "--config", configuration).run().checked()
        }
        let missing = "SELECT count(*) FROM (SELECT * FROM original EXCEPT SELECT * FROM archived)"
        #expect(try store.count(missing) == 0)
    }
}
