import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// A dry run of several rules: each counts the rows that the rules before it leave.
struct EarlierRulesTests {
    /// The rows that each rule takes: in a dry run, and then in a run.
    private func taken(
        _ app: TemporaryStore, _ rules: RetentionRule...
    ) -> (foreseen: [Int64?], taken: [Int64?]) {
        func report(dryRun: Bool) -> PruneReport {
            PruneRun.report(rules, on: [app.store], at: runStart, dryRun: dryRun)
        }
        let foreseen = report(dryRun: true).rules.map(\.expired)
        return (foreseen, report(dryRun: false).rules.map(\.deleted))
    }

    @Test(
        "a row that stays because its group has few rows is left for the next rule", arguments: [true, false])
    func smallGroups(index: Bool) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, feed INTEGER);
            \(index ? "CREATE INDEX newest ON t (feed, at);" : "")
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99)
            INSERT INTO t SELECT i + 1, \(old) - i, iif(i < 60, 0, i % 10) FROM n;
            """)
        var first = RetentionRule.old(name: "a")
        (first.keepLast, first.keepLastPer) = (50, ["feed"])
        let (foreseen, taken) = taken(app, first, .old(name: "b"))
        #expect(foreseen == [14, 86])
        #expect(taken == [14, 86])
    }
}
