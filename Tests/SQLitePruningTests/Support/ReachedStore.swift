import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

extension TemporaryStore {
    /// A table `t` with two expired rows and one that is not, and whatever else.
    static func ofThree(_ sql: String, columns: String = "") throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER\(columns));
            INSERT INTO t (id, at) VALUES (1, \(old)), (2, \(old)), (3, \(fresh));
            \(sql)
            """)
    }

    /// Why `rule` is refused, by a dry run and a run, of which neither takes a row of `t`.
    func refusal(_ rule: RetentionRule = .old()) throws -> Halt {
        let before = try integers("SELECT id FROM t ORDER BY id")
        for dryRun in [true, false] {
            let report = outcome(rule, dryRun: dryRun)
            #expect(report.outcome == .failed)
            #expect(report.deleted == 0)
        }
        #expect(try integers("SELECT id FROM t ORDER BY id") == before)
        return try #require(outcome(rule).failure)
    }
}
