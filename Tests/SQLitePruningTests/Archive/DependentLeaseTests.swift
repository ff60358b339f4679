import Pruning
import Retention
import TestSupport
import Testing

/// Rows that were put back do not go with the rows that they belong to.
struct DependentLeaseTests {
    /// Parents 1 to 4 have expired, and children of 1 and 3 were put back.
    private func store(_ tables: String, archiving table: String) throws -> ArchivedStore {
        let app = try ArchivedStore(
            """
            \(tables)
            INSERT INTO f SELECT 'k' || value, \(old) - value FROM json_each('[1, 2, 3, 4]');
            INSERT INTO f SELECT 'k' || value, \(fresh) FROM json_each('[5, 6]');
            INSERT INTO c SELECT rowid, k, \(fresh) FROM f;
            INSERT INTO c SELECT rowid + 10, upper(k), \(fresh) FROM f;
            UPDATE \(table) SET at = \(old) WHERE id IN (1, 13);
            """)
        #expect(app.prune(.archiving(table, name: "leased")).rules[0].deleted == 2)
        #expect(try app.restore().map(\.restored) == [2])
        return app
    }

    private let child = """
        CREATE TABLE f (k TEXT UNIQUE COLLATE NOCASE, at INTEGER);
        CREATE TABLE c (id INTEGER PRIMARY KEY, f TEXT REFERENCES f (k) ON DELETE CASCADE, at INTEGER);
        CREATE INDEX c_f ON c (f COLLATE NOCASE);
        """
    /// One of which each row belongs to the child with its id.
    private let grandchild = """
        CREATE TABLE g (id INTEGER PRIMARY KEY, at INTEGER, FOREIGN KEY (id) REFERENCES C ON DELETE CASCADE);
        CREATE TRIGGER filled AFTER INSERT ON c BEGIN INSERT INTO g VALUES (new.id, new.at); END;
        """

    @Test(
        "a row stays while one that would go with it has a lease, and does not count as expired",
        arguments: [false, true], [AccessPath.walk, .index])
    func kept(hasGrandchildren: Bool, accessPath: AccessPath) throws {
        let tables =
            child + (hasGrandchildren ? grandchild : "")
            + (accessPath == .index ? "CREATE INDEX f_at ON f (at);" : "")
        let app = try store(tables, archiving: hasGrandchildren ? "g" : "c")
        let rule = RetentionRule.old("f", dependents: hasGrandchildren ? ["c", "g"] : ["c"])
        #expect(app.prune(rule, dryRun: true).rules[0].expired == 2)
        let report = PruneRun.report([rule], on: [app.store], accessPath: accessPath).rules[0]
        #expect(report.expired == 2 && report.deleted == 2, "\(report)")
        #expect(report.dependentsDeleted == (hasGrandchildren ? 8 : 4))
        #expect(try app.app.integers("SELECT substr(k, 2) FROM f ORDER BY 1") == [1, 3, 5, 6])
        #expect(try app.app.integers("SELECT count(*) FROM c WHERE id IN (1, 13)") == [2])
        #expect(app.prune(rule).rules[0].deleted == 0)
        let later = runStart.addingTimeInterval(31 * 86_400)
        #expect(app.prune(rule, at: later).rules[0].deleted == 4)
    }

    @Test("where it cannot be seen with which rows a row with a lease would go, the rule is held")
    func circle() throws {
        let tables = """
            \(child)
            CREATE TABLE g
                (id INTEGER PRIMARY KEY REFERENCES c ON DELETE CASCADE,
                under REFERENCES g ON DELETE CASCADE);
            CREATE INDEX g_under ON g (under);
            CREATE TABLE d (id INTEGER PRIMARY KEY, at INTEGER, f TEXT REFERENCES f (k) ON DELETE CASCADE);
            CREATE INDEX d_f ON d (f COLLATE NOCASE);
            CREATE TRIGGER filled AFTER INSERT ON c BEGIN INSERT INTO d VALUES (new.id, new.at, new.f); END;
            """
        let app = try store(tables, archiving: "d")
        let rule = RetentionRule.old("f", dependents: ["c", "d", "g"])
        for dryRun in [true, false] {
            let report = app.prune(rule, dryRun: dryRun).rules[0]
            #expect(report.outcome == .held && report.deleted == 0)
            #expect(report.failure?.cause.contains("g refers to itself") == true, "\(report)")
            #expect(report.waitsFor == .leases)
            #expect(report.failure?.hint?.contains("when the leases are over") == true)
        }
        #expect(app.prune(rule, at: runStart.addingTimeInterval(31 * 86_400)).rules[0].deleted == 6)
    }
}
