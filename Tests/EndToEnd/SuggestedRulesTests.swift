import Foundation
import Testing

/// What `pruned suggest` prints, run as it stands.
@Suite struct SuggestedRulesTests {
    @Test(
        "no rule in force deletes what is unread, wanted or set up, and check accepts the file",
        arguments: AppTables.all)
    func rules(of app: AppTables) throws {
        let state = try StateDirectory()
        let store = Database(path: try state.sandbox.makeDirectory("home") + "/app.db")
        try store.query(
            """
            CREATE TEMP VIEW n AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2999)
                SELECT i, CAST(strftime('%s', 'now') AS INTEGER) - 3600 * (2999 - i) - 1800 AS at FROM n;
            BEGIN;
            \(app.sql)
            COMMIT;
            """)
        let suggested = try state.pruned("suggest", store.path).run()
        #expect(suggested.status == (app.hasRule ? 0 : 1), "\(suggested)")
        #expect(app.hasRule == suggested.output.contains(#/(?m)^\[rule\./#), "\(suggested)")
        #expect(suggested.errors.isEmpty == app.hasRule, "\(suggested)")
        guard app.hasRule else { return }
        // The app does not write meanwhile, and a person has chosen the shortest period and confirmed.
        let text =
            "[guard]\nmax_share = 1\n"
            + suggested.output
            .replacing(#/\nkeep .*\n/#, with: "\n").replacing(
                #/\n# keep +(= "30d".*)/#, with: { "\nkeep \($0.output.1)" })
        let file = try state.configuration(text)
        try state.pruned("check", "--config", file).run().checked()
        let before = try app.matter.map { try store.count("SELECT count(*) FROM \($0)") }
        #expect(before.allSatisfy { $0 > 0 })
        let run = try state.pruned("--run-now", "--json", "--config", file).run().checked()
        #expect(
            try app.matter.map { try store.count("SELECT count(*) FROM \($0)") } == before,
            "\(suggested)\n\(run)")
        let deleted = try run.report().rules.map { $0.deleted }.reduce(0, +)
        #expect(deleted > 0 || app.name.contains("parts"), "\(suggested)")
    }
}
