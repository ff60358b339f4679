import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// Rules without a time column: what no keeper refers to goes.
struct OrphanTests {
    private static let schema = """
        CREATE TABLE t (id TEXT PRIMARY KEY, name TEXT);
        CREATE TABLE a (t TEXT);
        CREATE INDEX a_t ON a (t);
        CREATE TABLE b (t TEXT UNIQUE);
        INSERT INTO t VALUES ('one', 'x'), ('two', 'x'), ('three', NULL), ('four', 'y'), (NULL, 'x');
        INSERT INTO a VALUES ('one'), ('one'), (NULL);
        INSERT INTO b VALUES ('two');
        """

    private func rule(_ keepers: String...) -> RetentionRule {
        var rule = RetentionRule.old()
        rule.expiry = .orphan
        rule.keptBy = keepers.compactMap { ColumnReference($0) }
        return rule
    }

    private func left(_ app: TemporaryStore) throws -> [String] {
        try app.texts("SELECT coalesce(id, 'none') FROM t ORDER BY 1")
    }

    @Test("a row goes when no keeper refers to it; a row without a key stays", arguments: [false, true])
    func keepers(isWAL: Bool) throws {
        let app = try TemporaryStore((isWAL ? "PRAGMA journal_mode = WAL;" : "") + Self.schema)
        #expect(app.outcome(rule("a.t", "b.t"), dryRun: true).expired == 2)
        let report = app.outcome(rule("a.t", "b.t"))
        #expect(report.outcome == .done && report.deleted == 2 && report.keptImplausible == 0)
        #expect(try left(app) == ["none", "one", "two"])
        #expect(app.outcome(rule("a.t")).deleted == 1)
        #expect(try left(app) == ["none", "one"])
    }

    @Test("a plan tells how many rows there are and how many stay for what reason, and no ages")
    func ages() throws {
        let app = try TemporaryStore(Self.schema)
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let ages = try view.ages(of: PruneTask(rule("a.t", "b.t"), start: runStart, in: .gmt))
        #expect(ages.rows == 5 && ages.census.expired == 2 && ages.counts.isEmpty && ages.next == nil)
        #expect(ages.stay.rows == [.keyless: 1, .keptBy: 2])
    }
}
