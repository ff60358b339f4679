import Foundation
import Testing

/// What `pruned suggest` prints, run as it stands.
@Suite struct SuggestedRulesTests {
    @Test(
        "nothing that is printed is in force, and each rule is one that check accepts",
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
        let suggested = try state.pruned("suggest", store.path).run().checked()
        let lines = suggested.output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("#") } && suggested.errors.isEmpty, "\(suggested)")
        let proposal = SuggestedText(suggested.output)
        #expect(!proposal.rules.isEmpty || suggested.output.contains("# No rule, for"), "\(suggested)")
        for rule in proposal.rules {
            let file = try state.configuration(proposal.store + "\n" + rule)
            let check = try state.pruned("check", "--config", file).run()
            #expect(check.status == 0, "\(suggested)\n\(check)")
        }
    }
}
