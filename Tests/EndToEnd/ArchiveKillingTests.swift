import TestSupport
import Foundation
import Testing

/// Runs and restores that are killed: every row is in the store or in the archive, and comes back as it was.
@Suite(.serialized) struct ArchiveKillingTests {
    @Test("killed at a random instant of a run, and of the restore after it, 50 times")
    func killedAtRandom() throws {
        let template = try OddStore(rows: 12_000)
        // Beside an app rows are archived before there is a lock, else inside of it.
        let ways = [("walk", false), ("index", false), ("walk", true), ("index", true)]
        var durations = try ways.map { plan, isBesideApp in
            let whole = try template.copied()
            let app = try isBesideApp ? whole.database.openedByApp() : nil
            let start = ContinuousClock.now
            try whole.run(plan: plan).run().checked()
            let duration = ContinuousClock.now - start
            try app?.wait().checked()
            #expect(try whole.expired() == 0)
            return duration
        }
        var (runsCut, restoresCut, rowsInBoth) = (0, 0, 0)
        for round in 0..<50 {
            let store = try template.copied()
            let way = round % ways.count
            let app = try ways[way].1 ? store.database.openedByApp() : nil
            let run = try store.run(plan: ways[way].0).start()
            let status = try run.kill(
                after: durations[way] * (Double.random(in: Double(round)...Double(round + 1)) / 50))
            if status == 0 { durations[way] = durations[way] * 0.95 } else { runsCut += 1 }
            try app?.wait().checked()
            #expect(try store.database.health() == "ok", "round \(round)")

            let archived = try store.archivedRuns()
            if let runID = archived.first {
                #expect(try store.archive.health() == "ok", "round \(round)")
                let deleted = try template.expired() - store.expired()
                let kept = try store.archive.count("SELECT sum(row_count) FROM batch")
                #expect(kept >= deleted, "round \(round)")
                rowsInBoth += kept - deleted
                let first = try store.restore(runID).start()
                if try first.kill(after: durations[way] * Double.random(in: 0...0.7)) != 0 {
                    restoresCut += 1
                }
                try store.restore(runID).run().checked()
                // Where every archived row still stood in the store, there was nothing to put back.
                if deleted > 0 { #expect(try store.archive.count("SELECT count(*) FROM lease") > 0) }
            }
            #expect(try store.differences(from: template) == OddStore.noDifferences, "round \(round)")
            #expect(try store.database.health() == "ok", "round \(round)")
        }
        print(
            "Killed in \(runsCut) runs and \(restoresCut) restores of 50; \(rowsInBoth) rows stood in both places."
        )
        #expect(runsCut >= 10 && restoresCut >= 5)
    }

    @Test("of rows that nothing tells apart as many are back as there were, and as the app has of its own")
    func copies() throws {
        let template = try CopiesStore(rows: 4_000)
        try template.run.run().checked()
        // The app's rows take the rowids, and VACUUM gives them others.
        try template.addRows()
        try template.database.query("DELETE FROM log WHERE rowid % 7 = 0; VACUUM")
        let expected = try template.rowsInAll()
        let whole = try template.copied()
        let start = ContinuousClock.now
        try whole.restore().run().checked()
        var duration = ContinuousClock.now - start
        #expect(try whole.rows() == expected)
        var cut = 0
        for round in 0..<20 {
            let store = try template.copied()
            for _ in 0...round % 3 {
                guard try store.archivedRows() > 0 else { break }
                let status = try store.restore().start().kill(after: duration * Double.random(in: 0...1))
                if status == 0 { duration = duration * 0.95 } else { cut += 1 }
            }
            if try store.archivedRows() > 0 { try store.restore().run().checked() }
            #expect(try store.rows() == expected, "round \(round)")
            #expect(try store.database.health() == "ok", "round \(round)")
            #expect(try store.archivedRows() == 0, "round \(round)")
        }
        #expect(cut >= 5)
    }
}

/// A store with tables of which no row differs from all others, all expired.
private struct CopiesStore {
    private static let tables = ["log", "named"]
    private let state: StateDirectory
    private let rowCount: Int

    init(rows: Int) throws {
        (state, rowCount) = (try StateDirectory(), rows)
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: false)
        try database.query(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE log (x, at INTEGER);
            CREATE TABLE named (a TEXT PRIMARY KEY, x, at INTEGER);
            """)
        try addRows()
    }

    private init(state: StateDirectory, rows: Int) {
        (self.state, rowCount) = (state, rows)
    }

    func copied() throws -> CopiesStore { CopiesStore(state: try state.copied(), rows: rowCount) }

    var database: Database { Database(path: state.path + "/s.sqlite") }
    private var archive: Database { Database(path: state.path + "/archive/s/archive.sqlite") }

    /// Adds rows that are the same each time.
    func addRows() throws {
        for table in Self.tables {
            try database.query(
                "INSERT INTO \(table) (x, at) SELECT value % 9, 1e9 + value % 5 FROM generate_series(1, \(rowCount))"
            )
        }
    }

    private var configuration: String {
        get throws {
            let rules = Self.tables.map { table in
                """
                [rule.\(table)]
                table = "\(table)"
                age_column = "at"
                keep = "30d"
                archive = true
                guard = { max_share = 1 }
                """
            }
            return try state.configuration("[store.s]\npath = \"s.sqlite\"\n" + rules.joined(separator: "\n"))
        }
    }

    var run: Program {
        get throws { state.pruned("--run-now", "--trust-clock", "--config", try configuration) }
    }

    func restore() throws -> Program {
        let runID = try archive.query("SELECT max(run_id) FROM batch")
        return state.pruned("restore", runID, "--config", try configuration)
    }

    func archivedRows() throws -> Int { try archive.count("SELECT sum(row_count) FROM batch") }

    /// How often each row is there.
    func rows() throws -> String { try rows(and: []) }

    /// The same of what is there and what was archived, which is as many of each as ``addRows()`` adds.
    func rowsInAll() throws -> String {
        try rows(
            and: Self.tables.map {
                "UNION ALL SELECT '\($0)', value % 9, 1000000000 + value % 5 FROM generate_series(1, \(rowCount))"
            })
    }

    private func rows(and more: [String]) throws -> String {
        let all = Self.tables.map { "SELECT '\($0)' AS name, x, at FROM \($0)" }.joined(
            separator: " UNION ALL ")
        return try database.query(
            "SELECT name, x, at, count(*) FROM (\(all) \(more.joined(separator: " "))) GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )
    }
}

extension RunningProgram {
    /// Kills it after `time`, unless it has ended before; its status.
    fileprivate func kill(after time: Duration) throws -> Int32 {
        let start = ContinuousClock.now
        while isRunning, ContinuousClock.now - start < time { usleep(500) }
        // Its workers find out by themselves, and may commit a batch until then.
        let workers = children
        send(SIGKILL)
        let status = try wait().status
        #expect([0, 128 + SIGKILL].contains(status))
        try eventually("the end of its workers") { workers.allSatisfy(Self.hasEnded) }
        return status
    }
}
