import Pruning
import TestSupport
import Retention
import Synchronization
import Testing

@testable import Archive
@testable import PostgreSQLPruning

@Suite("Rows are put back only where they belong")
struct RestoreTests {
    private static let table = """
        CREATE TABLE t (id int PRIMARY KEY, at timestamptz, name text UNIQUE);
        INSERT INTO t SELECT n, '2026-01-01', 'n' || n FROM generate_series(1, 6) n;
        """

    /// A store whose rows were all deleted.
    private func pruned(_ sql: String = Self.table, _ rule: RetentionRule = .archiving()) throws
        -> ArchivedDatabase
    {
        let store = try ArchivedDatabase(sql)
        let report = try store.prune(rule)
        #expect(report.rules.allSatisfy { $0.failure == nil }, "\(report)")
        return store
    }

    @Test(
        "A key that is checked at the end, or an exclusion, keeps no other row in the archive",
        arguments: [
            "PRIMARY KEY (id) DEFERRABLE", "PRIMARY KEY (id) DEFERRABLE INITIALLY DEFERRED",
            "UNIQUE (id) DEFERRABLE INITIALLY DEFERRED", "EXCLUDE USING btree (id WITH =)",
            "EXCLUDE USING btree (id WITH =) DEFERRABLE INITIALLY DEFERRED",
        ])
    func deferrable(constraint: String) throws {
        let store = try pruned(
            """
            CREATE TABLE t (id int, at timestamptz, name text, \(constraint));
            INSERT INTO t SELECT n, '2026-01-01', 'n' || n FROM generate_series(1, 40) n;
            """)
        try store.app.psql("INSERT INTO t VALUES (1, now(), 'other')")
        let report = try #require(store.restore().first)
        #expect(report.restored == 39 && report.skipped == [.exists: 1], "\(report)")
        #expect(try store.app.psql("SELECT name FROM t WHERE id = 1") == "other")
        #expect(try store.app.psql("SELECT count(*), count(DISTINCT id) FROM t") == "40|40")
    }

    @Test("A row that a check, a foreign key or a type refuses stays in the archive; the others come back")
    func refused() throws {
        let store = try pruned(
            """
            CREATE TABLE feeds (id int PRIMARY KEY); INSERT INTO feeds VALUES (1), (2);
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, name text, feed int REFERENCES feeds DEFERRABLE INITIALLY DEFERRED);
            INSERT INTO t SELECT n, '2026-01-01', repeat('x', n), 1 + n % 2 FROM generate_series(1, 6) n;
            """)
        try store.app.psql(
            """
            DELETE FROM feeds WHERE id = 2; ALTER TABLE t ADD CHECK (id <> 2);
            ALTER TABLE t ALTER name TYPE varchar(5)
            """)
        let report = try #require(store.restore().first)
        #expect(report.restored == 1)
        #expect(report.skipped == [.refused: 5])
        #expect(try store.app.psql("SELECT id FROM t") == "4")
        try store.app.psql("INSERT INTO feeds VALUES (2)")
        #expect(try store.restore().map(\.restored) == [3])
    }

    @Test("Rows of a table that is gone are not put into a table of another schema that has its name")
    func namesake() throws {
        let store = try pruned()
        try store.app.database.psql(
            "CREATE SCHEMA copy; CREATE TABLE copy.t (LIKE t INCLUDING ALL); DROP TABLE t;"
                + "GRANT USAGE ON SCHEMA copy TO PUBLIC; GRANT ALL ON copy.t TO PUBLIC")
        let report = try #require(store.restore().first)
        #expect(report.restored == 0, "\(report)")
        #expect(try store.app.database.psql("SELECT count(*) FROM copy.t") == "0")
    }

    @Test("Tombstones are taken from the table where the rule left them, beside its own")
    func tombstonesBeside() throws {
        let rule = RetentionRule.archiving(
            "app.t",
            tombstone: Tombstone(
                table: "gone", columns: [Tombstone.CopiedColumn("id", from: "id")], condition: nil))
        let store = try ArchivedDatabase(
            "CREATE TABLE gone (id int PRIMARY KEY); INSERT INTO gone SELECT generate_series(1, 20)",
            setup: """
                CREATE SCHEMA app; CREATE TABLE app.gone (id int PRIMARY KEY);
                CREATE TABLE app.t (id int PRIMARY KEY, at timestamptz, name text UNIQUE);
                INSERT INTO app.t SELECT n, '2026-01-01', 'n' || n FROM generate_series(1, 6) n;
                GRANT ALL ON SCHEMA app TO PUBLIC; GRANT ALL ON ALL TABLES IN SCHEMA app TO PUBLIC;
                """)
        #expect(try store.prune(rule).rules[0].deleted == 6)
        #expect(try store.restore().map(\.restored) == [6])
        let left = "SELECT (SELECT count(*) FROM app.gone), (SELECT count(*) FROM gone)"
        #expect(try store.app.database.psql(left) == "0|20")
    }

    @Test(
        "A restored row is known by its key as the type itself writes it: no cast of the type's owner is called",
        arguments: [
            "CREATE TYPE odd AS ENUM ('a', 'b')", "CREATE TYPE odd AS (n int)",
            "CREATE TYPE odd AS RANGE (SUBTYPE = int)",
        ])
    func ownersCast(type: String) throws {
        let (first, second) =
            type.contains("ENUM")
            ? ("'a'", "'b'") : type.contains("RANGE") ? ("'[1,2)'", "'[3,4)'") : ("'(1)'", "'(2)'")
        let store = try pruned(
            """
            \(type); CREATE SEQUENCE called;
            CREATE FUNCTION odd_text(odd) RETURNS text LANGUAGE plpgsql IMMUTABLE
                AS $$ BEGIN PERFORM pg_catalog.nextval('public.called'); RETURN 'x'; END $$;
            CREATE TABLE t (id odd PRIMARY KEY, at timestamptz DEFAULT '2026-01-01');
            INSERT INTO t (id) VALUES (\(first)), (\(second));
            """)
        #expect(try store.restore().map(\.restored) == [2])
        try store.app.psql("CREATE CAST (odd AS text) WITH FUNCTION odd_text AS IMPLICIT")
        let report = try store.prune(.archiving()).rules[0]
        #expect(report.deleted == 0 && report.outcome == .done, "\(report)")
        #expect(try store.app.psql("SELECT count(*), (SELECT is_called FROM called) FROM t") == "2|f")
    }

    @Test("Rows are not put back where a cast of a type's owner would compare them")
    func castSinceRun() throws {
        let store = try pruned(
            """
            CREATE TYPE odd AS ENUM ('a', 'b'); CREATE TABLE t (id odd PRIMARY KEY, at timestamptz);
            INSERT INTO t VALUES ('a', '2026-01-01');
            CREATE FUNCTION odd_text(odd) RETURNS text LANGUAGE sql AS 'SELECT NULL::text';
            """)
        try store.app.psql("CREATE CAST (odd AS text) WITH FUNCTION odd_text AS IMPLICIT")
        let report = try #require(store.restore().first)
        #expect(report.failure?.cause.hasPrefix("cast ") == true && report.restored == 0, "\(report)")
    }

    @Test(
        "A commit whose answer is lost counts if the server has done it; else the report says that it is unknown"
    )
    func lostCommit() throws {
        for isIsolated in [false, true] {
            let store = try pruned()
            let hasInserted = Mutex(false)
            let proxy = try CuttingProxy(before: store.app.database.server)
            proxy.cut(
                at: .init(.afterAnswer) { sql in
                    if sql.contains("INSERT INTO") { hasInserted.withLock { $0 = true } }
                    return hasInserted.withLock(\.self) && CuttingProxy.commits(sql)
                })
            proxy.refuse(afterCut: isIsolated)
            let url = proxy.url(database: store.app.database.name, user: store.app.role)
            let report = try #require(store.restore(at: url).first)
            #expect(proxy.cuts == 1)
            let back = try Int64(store.app.psql("SELECT count(*) FROM t"))
            if isIsolated {
                #expect(
                    report.failure?.cause.contains("unknown whether the last batch was committed") == true)
            } else {
                #expect(report.restored == back, "\(report)")
            }
            let rest = try store.restore()
            #expect(try store.app.psql("SELECT count(*) FROM t") == "6")
            #expect(rest.allSatisfy { $0.outcome == .done }, "\(rest)")
        }
    }

    @Test("A table or a column that is gone keeps the rows in the archive")
    func gone() throws {
        let store = try pruned()
        try store.app.psql("ALTER TABLE t RENAME name TO title")
        #expect(try store.restore(dryRun: true).first?.skipped == [.columnGone: 6])
        #expect(try store.restore().first?.skipped == [.columnGone: 6])
        try store.app.psql("DROP TABLE t")
        #expect(try store.restore(dryRun: true).first?.skipped == [.tableGone: 6])
        #expect(try store.restore().first?.skipped == [.tableGone: 6])
        #expect(try store.archivedRows() == 6)
        try store.app.psql(
            "CREATE TABLE t (added int DEFAULT 7, name text, at timestamptz, id int PRIMARY KEY)")
        #expect(try store.restore().map(\.restored) == [6])
        #expect(try store.app.psql("SELECT count(*), min(added), max(name) FROM t") == "6|7|n6")
    }

    @Test("A missing right names the GRANT that gives it")
    func rights() throws {
        let store = try pruned()
        try store.app.psql("REVOKE INSERT ON t FROM \(store.app.role)")
        let failure = try #require(store.restore().first?.failure)
        #expect(failure.cause == "the role may not insert rows of t")
        #expect(failure.hint == "GRANT INSERT ON \"public\".\"t\" TO \"\(store.app.role)\"")
    }

    @Test("An owner's trigger, and a function of its own, do not run as the role that restores")
    func foreignCode() throws {
        let store = try pruned()
        try store.app.psql(
            """
            CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
            CREATE TRIGGER touched BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION touch()
            """)
        #expect(
            try store.restore().first?.failure?.cause
                == "trigger touched of t would run with the rights of this role")
        try store.app.psql(
            """
            DROP TRIGGER touched ON t; CREATE FUNCTION fine(int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
            ALTER TABLE t ADD CHECK (fine(id))
            """)
        #expect(
            try store.restore().first?.failure?.cause
                == "check t_id_check of t calls public.fine(integer), which would run with the rights of this role"
        )
        try store.app.psql("ALTER TABLE t DROP CONSTRAINT t_id_check")
        #expect(try store.restore().map(\.restored) == [6])
    }

    @Test("What was put back stays until its lease ends, under either name of the table")
    func leases() throws {
        let store = try pruned()
        #expect(try store.restore(until: runStart.addingTimeInterval(-60)).map(\.restored) == [6])
        #expect(try store.prune(.archiving()).rules.map(\.deleted) == [6])
        #expect(try store.restore().map(\.restored).reduce(0, +) == 6)
        #expect(try store.prune(.archiving()).rules.map(\.deleted) == [0])
        #expect(try store.prune(.archiving("public.t")).rules.map(\.deleted) == [0])
    }

    @Test("After a run that was killed before it committed, nothing is lost and nothing doubled")
    func killedRun() throws {
        for key in [" PRIMARY KEY", ""] {
            let store = try ArchivedDatabase(
                """
                CREATE TABLE t (id int\(key), at timestamptz, c char(4), j json);
                INSERT INTO t SELECT n, '2026-01-01', 'c', '{}' FROM generate_series(1, 3) n
                """)
            try store.pruneAndDie(.archiving())
            #expect(try store.archivedRows() == 3)
            #expect(try store.restore(dryRun: true).first?.skipped == [.exists: 3])
            #expect(try store.restore().first?.skipped == [.exists: 3])
            #expect(
                try store.prune(.archiving(), at: runStart.addingTimeInterval(60)).rules.map(\.deleted) == [3]
            )
            #expect(try store.archivedRows() == 6)
            #expect(try store.restore().map(\.restored).reduce(0, +) == 3)
            #expect(try store.app.psql("SELECT count(*), count(DISTINCT id) FROM t") == "3|3")
        }
    }

    @Test("A restore that was killed before the archive knew can be repeated; equal rows all come back once")
    func killedRestore() throws {
        let store = try pruned(
            """
            CREATE TABLE t (n int, at timestamptz, x text);
            INSERT INTO t VALUES (1, '2026-01-01', 'same'), (1, '2026-01-01', 'same'), (2, '2026-01-01', NULL);
            """)
        let dying = DyingArchive(archive: store.archive, death: .beforeSettling)
        #expect(try store.restore(archive: dying).map(\.restored) == [3])
        #expect(try store.archivedRows() == 3)
        // One that fails before its first row forgets nothing, and neither does one that puts none back.
        try store.app.psql("REVOKE INSERT ON t FROM \(store.app.role)")
        #expect(try store.restore().first?.failure != nil)
        try store.app.psql("GRANT INSERT ON t TO \(store.app.role)")
        for _ in 0..<2 { #expect(try store.restore().first?.skipped == [.exists: 3]) }
        #expect(try store.app.psql("SELECT n, count(*) FROM t GROUP BY 1 ORDER BY 1") == "1|2\n2|1")
    }

    @Test("A partitioned table gets its rows back into their partitions")
    func partitions() throws {
        let store = try pruned(
            """
            CREATE TABLE t (id int, at timestamptz, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
            CREATE TABLE t1 PARTITION OF t FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
            CREATE TABLE t2 PARTITION OF t FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
            INSERT INTO t SELECT n, '2025-12-01'::timestamptz + n * interval '10 days' FROM generate_series(1, 6) n
            """)
        #expect(try store.archivedRows() == 6)
        #expect(try store.restore().map(\.restored).reduce(0, +) == 6)
        #expect(
            try store.app.psql("SELECT tableoid::regclass, count(*) FROM t GROUP BY 1 ORDER BY 1")
                == "t1|3\nt2|3")
    }

    @Test("Rows that refer to large objects are not archived, so they are not deleted")
    func largeObjects() throws {
        let store = try ArchivedDatabase(
            "CREATE DOMAIN lo AS oid; CREATE TABLE t (id int PRIMARY KEY, at timestamptz, picture lo)")
        let failure = try #require(store.prune(.archiving()).rules.first?.failure)
        #expect(
            failure.cause
                == "rows of t cannot be archived: picture is of type public.lo, which refers to a large object outside of the row"
        )
    }

    @Test("Rows of a SQLite file of the same name are not read as a database's")
    func otherKind() throws {
        let store = try pruned()
        let part = try #require(store.parts().first)
        let file = try TemporaryDirectory()
        let path = file.path + "/s.sqlite"
        #expect(throws: StoreError.self) {
            try store.archive.batch(1, of: part, RunControl(monotonic: systemMonotonic)).map {
                try $0.check(.sqlite, of: part, place: path)
            }
        }
    }

    @Test(
        "rows of a table that refers to itself come back in few rounds, whichever refers to which",
        arguments: ["nullif(i % 300 + 1, 1)", "nullif(i - 1, 0)"])
    func chains(up: String) throws {
        let store = try pruned(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, name text, up int);
            INSERT INTO t SELECT i, '2026-01-01', repeat('x', 200), \(up) FROM generate_series(1, 300) i;
            ALTER TABLE t ADD FOREIGN KEY (up) REFERENCES t; CREATE INDEX ON t (up)
            """)
        #expect(try store.app.psql("SELECT count(*) FROM t") == "0")
        let refusals = { store.app.database.server.log.split(separator: "violates foreign key").count }
        let before = refusals()
        #expect(try store.restoreInRounds().map(\.restored).reduce(0, +) == 300)
        // Each round that brings back one row would be refused the others.
        #expect(refusals() - before < 10_000)
    }
}
