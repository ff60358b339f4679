import Pruning
import Retention
import TestSupport
import Testing

/// How many rows of other tables a plan says would go with a rule's rows, against what goes.
struct DependentCensusTests {
    private func store(_ more: String) throws -> TemporaryStore {
        try TemporaryStore(
            """
            CREATE TABLE f (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TABLE c (id INTEGER PRIMARY KEY, f REFERENCES f ON DELETE CASCADE, at INTEGER);
            CREATE TABLE g (id INTEGER PRIMARY KEY, c REFERENCES c ON DELETE CASCADE,
                f REFERENCES f ON DELETE CASCADE);
            \(more)
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
                INSERT INTO f SELECT i, iif(i <= 30, \(old), \(fresh)) FROM n;
            INSERT INTO c SELECT NULL, f.id, iif(value < 4, \(old) - value, \(fresh))
                FROM f, json_each('[1, 2, 3, 4]') ORDER BY f.id, value;
            INSERT INTO c VALUES (NULL, NULL, \(old)), (NULL, NULL, \(fresh));
            INSERT INTO g (c, f) SELECT id, iif(id % 2, f, 41 - f) FROM c;
            INSERT INTO g (c) SELECT id FROM c;
            """)
    }

    private func ages(_ app: TemporaryStore, _ tasks: [PruneTask]) throws -> [Int64?] {
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        var done: [PruneTask] = []
        return try tasks.map { task in
            var task = task
            task.presumedDone = done
            done.append(task)
            return try view.ages(of: task).dependents
        }
    }

    @Test(
        "a plan counts the rows that go with a rule's rows, each once, and none that an earlier rule takes along",
        arguments: [
            "", "CREATE INDEX f_at ON f (at); CREATE INDEX c_f ON c (f); CREATE INDEX g_c ON g (c, f);",
        ])
    func counted(indexes: String) throws {
        let app = try store(indexes)
        let rules = [
            RetentionRule.old("f", name: "first", dependents: ["c", "g"]),
            .old("c", name: "second", dependents: ["g"]),
        ]
        let planned = try ages(app, rules.map { PruneTask($0, start: runStart, in: .gmt) })
        let report = app.prune(rules[0], rules[1])
        #expect(planned == report.rules.map(\.dependentsDeleted), "\(report)")
        #expect(planned.allSatisfy { $0 ?? 0 > 0 })
        #expect(try ages(app, [PruneTask(rules[0], start: runStart, in: .gmt)]) == [0])
    }

    @Test("a condition may name a column that the dependents have, too", arguments: [true, false])
    func sharedColumn(index: Bool) throws {
        let app = try store(index ? "CREATE INDEX f_at ON f (at);" : "")
        try app.execute(
            """
            ALTER TABLE f ADD COLUMN read INTEGER; ALTER TABLE c ADD COLUMN read INTEGER;
            UPDATE f SET read = id % 3; UPDATE c SET read = 1;
            """)
        var rule = RetentionRule.old("f", dependents: ["c", "g"])
        (rule.condition, rule.protect) = ("read < 2", ["read = 0"])
        let planned = try ages(app, [PruneTask(rule, start: runStart, in: .gmt)])
        let report = app.outcome(rule)
        #expect(report.outcome == .done && report.deleted == 10)
        #expect(planned == [report.dependentsDeleted])
    }

    @Test("where a table points at itself, a plan does not say how many rows go")
    func circle() throws {
        let app = try store("ALTER TABLE g ADD COLUMN under REFERENCES g ON DELETE CASCADE;")
        try app.execute("CREATE INDEX g_under ON g (under)")
        let rule = RetentionRule.old("f", dependents: ["c", "g"])
        #expect(try ages(app, [PruneTask(rule, start: runStart, in: .gmt)]) == [nil])
    }
}
