import Foundation
import TestSupport
import Testing

/// What a run does for an app that has the store open.
@Suite(.serialized) struct YieldingTests {
    @Test(
        "while an app has the store open, batches are shorter, and each leaves it time for a turn",
        arguments: ["walk", "index"])
    func company(plan: String) throws {
        let state = try LargeStore.copy()
        let app = try state.store.program.start(feeds: true)
        try app.feed("SELECT count(*) FROM item;\n")
        try eventually("the app's answer") { !app.output.isEmpty }
        let accompanied = try readRecords(state, plan)
        try app.wait().checked()

        // A machine with other work to do makes batches slow, and so more of them; it never makes fewer.
        let few = Int(Double(accompanied.batches) / 1.5)
        var counts: [Int] = []
        while counts.count < 5, counts.allSatisfy({ $0 > few }) {
            let alone = try readRecords(LargeStore.copy(), plan)
            #expect(alone.deleted == accompanied.deleted)
            counts.append(alone.batches)
        }
        #expect(counts.contains { $0 <= few }, "\(accompanied.batches) batches, alone \(counts)")
        // An app that has asked in vain asks again after 1 ms at the earliest. Nothing follows the last batch.
        let pauses = Double(accompanied.batches - 1)
        #expect(accompanied.durationMs >= pauses, "\(accompanied)")
    }

    private func readRecords(_ state: StateDirectory, _ plan: String) throws -> PrintedReport.Rule {
        let report = try state.runNow(plan: plan).run().checked().report()
        #expect(report.accessPaths == [plan])
        return try #require(report["read-records"])
    }

    @Test("a store's rate holds from one rule to the next: the rows of a run take their time, and all go")
    func rate() throws {
        let state = try StateDirectory()
        let path = state.sandbox.path + "/app.sqlite"
        let app = Database(path: path)
        for table in ["a", "b", "c"] {
            try app.query(
                """
                CREATE TABLE \(table) (id INTEGER PRIMARY KEY, at INTEGER); WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL
                SELECT i + 1 FROM n WHERE i < 60) INSERT INTO \(table) SELECT i, unixepoch('now', iif(i <= 30, '-90 days', '-1 day'))
                FROM n
                """)
        }
        let rules = ["a", "b", "c"].map {
            "[rule.\($0)]\ntable = \"\($0)\"\nage_column = \"at\"\nkeep = \"30d\"\n"
        }
        let file = try state.sandbox.write(
            "pruned.toml",
            "[guard]\nmax_share = 1.0\n[store.app]\npath = \"\(path)\"\nmax_rows_per_s = 40\n\(rules.joined())"
        )
        let start = ContinuousClock.now
        let report = try state.pruned("--run-now", "--json", "--config", file).run().checked().report()
        // Nobody waits after the last batch, which has 30 rows at most.
        #expect(ContinuousClock.now - start >= .milliseconds(1_500))
        #expect(report.rules.map(\.deleted) == [30, 30, 30])
    }

    @Test("the pause after a rule's last row fails nothing of it: a store that is locked in it was pruned")
    func lockedInLastPause() throws {
        let state = try StateDirectory()
        let path = state.sandbox.path + "/app.sqlite"
        let app = Database(path: path)
        try app.query(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER); CREATE TABLE later (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE part (id INTEGER PRIMARY KEY, item REFERENCES item ON DELETE CASCADE); CREATE INDEX parts ON part (item);
            INSERT INTO item VALUES (1, unixepoch('now', '-90 days')), (2, unixepoch());
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 80) INSERT INTO part SELECT i, 1 FROM n
            """)
        let file = try state.sandbox.write(
            "pruned.toml",
            """
            [guard]
            max_share = 1.0
            [store.app]
            path = "\(path)"
            max_rows_per_s = 10
            [rule.items]
            table = "item"
            age_column = "at"
            keep = "30d"
            dependents = ["part"]
            [rule.later]
            table = "later"
            age_column = "at"
            keep = "30d"

            """)
        let run = try state.pruned("--run-now", "--json", "--config", file).start()
        try eventually("the row is gone") { try app.count("SELECT count(*) FROM item") == 1 }
        let holder = try app.program.start(feeds: true)
        try holder.feed("BEGIN EXCLUSIVE; SELECT 'locked';\n")
        try eventually("the lock") { holder.output.contains("locked") }
        // 81 rows ask for eight seconds, and a run waits five for a lock.
        let ended = try run.wait()
        try holder.feed("COMMIT;\n")
        try holder.wait().checked()
        let items = try #require(try ended.report().rules.first { $0.rule == "items" })
        #expect(items.outcome == "done" && items.deleted == 1, "\(ended)")
    }
}
