import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite("Rules on PostgreSQL tables of every shape")
struct RuleCasesTests {
    private func rule(_ table: String = "t", _ column: String = "at") -> RetentionRule {
        RetentionRule(
            name: "old", store: "s", table: table, expiry: .age(column: column, keep: Span(30, .day)),
            holdLimits: .noneAtAll)
    }

    private static let rows =
        "SELECT i, CASE WHEN i <= 20 THEN timestamptz '2026-10-01' + i * interval '1 minute' ELSE '2026-11-19' END"

    @Test("names with quotes, blanks and capitals, and tables of another schema")
    func names() throws {
        let database = try OwnedDatabase(
            """
            CREATE SCHEMA "My App"; CREATE TABLE "My App"."It's ""a"" T" ("Id" int PRIMARY KEY, "at ""the"" time" timestamptz, "G g" int);
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz); CREATE SCHEMA s; CREATE TABLE s.t (id int PRIMARY KEY, at timestamptz);
            INSERT INTO "My App"."It's ""a"" T" \(Self.rows), i % 2 FROM generate_series(1, 40) i;
            INSERT INTO t \(Self.rows) FROM generate_series(1, 40) i; INSERT INTO s.t \(Self.rows) FROM generate_series(1, 40) i;
            """)
        try database.psql("GRANT USAGE ON SCHEMA s, \"My App\" TO \(database.role)")
        var odd = rule("My App.It's \"a\" T", "at \"the\" time")
        (odd.keepLast, odd.keepLastPer) = (10, ["G g"])
        odd.condition = "\"It's \"\"a\"\" T\".\"Id\" > 0"
        #expect(try database.outcome(odd).deleted == 20)
        #expect(try database.outcome(rule("s.t")).deleted == 20)
        #expect(try database.psql("SELECT count(*) FROM t") == "40")
        #expect(try database.outcome(rule("t")).deleted == 20)
        #expect(try database.outcome(rule("T")).outcome == .failed)
    }

    @Test(
        "partitions of every kind, and partitions of partitions",
        arguments: ["RANGE (at)", "LIST (g)", "HASH (id)"])
    func partitions(by: String) throws {
        let parts =
            switch by.prefix(4) {
            case "RANG":
                """
                CREATE TABLE p1 PARTITION OF t FOR VALUES FROM (MINVALUE) TO ('2026-10-02') PARTITION BY HASH (id);
                CREATE TABLE p1a PARTITION OF p1 FOR VALUES WITH (MODULUS 1, REMAINDER 0);
                CREATE TABLE p2 PARTITION OF t FOR VALUES FROM ('2026-10-02') TO (MAXVALUE)
                """
            case "LIST":
                "CREATE TABLE p1 PARTITION OF t FOR VALUES IN (0, NULL); CREATE TABLE p2 PARTITION OF t DEFAULT"
            default:
                """
                CREATE TABLE p1 (dropped int, at timestamptz, g int, id int); ALTER TABLE p1 DROP COLUMN dropped;
                ALTER TABLE t ATTACH PARTITION p1 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
                CREATE TABLE p2 PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 1)
                """
            }
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int, at timestamptz, g int) PARTITION BY \(by); \(parts);
            CREATE INDEX ON t (g, at); CREATE INDEX ON t (at);
            INSERT INTO t \(Self.rows), nullif(i % 3, 2) FROM generate_series(1, 40) i;
            """)
        var kept = rule()
        (kept.keepLast, kept.keepLastPer) = (8, ["g"])
        // The groups have 13, 14 and 13 rows, and 6, 7 and 7 of them are new.
        #expect(try database.outcome(kept, dryRun: true).expired == 16)
        for accessPath in [AccessPath.index, .walk] {
            let report = try database.outcome(kept, accessPath: accessPath)
            #expect(report.outcome == .done, "\(report)")
            #expect(report.deleted == (accessPath == .index ? 16 : 0))
        }
        #expect(try database.outcome(rule()).deleted == 4)
        #expect(try database.psql("SELECT count(*) FROM t") == "20")
    }

    @Test("tables whose pages do not have their rows are refused by name, and not found empty")
    func otherStorage() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE spread (id int PRIMARY KEY, at timestamptz);
            CREATE TABLE hyper (at timestamptz); CREATE TABLE hyper_1 () INHERITS (hyper);
            CREATE TABLE columnar (at timestamptz) USING other_heap;
            CREATE TABLE parts (at timestamptz) PARTITION BY RANGE (at);
            CREATE TABLE part PARTITION OF parts DEFAULT USING other_heap;
            CREATE TABLE plain (at timestamptz);
            """,
            setup: """
                CREATE ACCESS METHOD other_heap TYPE TABLE HANDLER heap_tableam_handler;
                SET allow_system_table_mods = on;
                CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
                CREATE SCHEMA _timescaledb_catalog;
                CREATE TABLE _timescaledb_catalog.hypertable (schema_name name, table_name name, id int);
                CREATE TABLE _timescaledb_catalog.dimension (
                    hypertable_id int, partitioning_func_schema name, partitioning_func name);
                CREATE TABLE _timescaledb_catalog.chunk (schema_name name, table_name name);
                CREATE SCHEMA timescaledb_information;
                CREATE TABLE timescaledb_information.chunks (chunk_schema name, chunk_name name, is_compressed boolean);
                CREATE TABLE timescaledb_information.dimensions (
                    hypertable_schema name, hypertable_name name, dimension_number int, column_name name, column_type regtype);
                CREATE TABLE timescaledb_information.continuous_aggregates (
                    hypertable_schema name, hypertable_name name, view_schema name, view_name name,
                    materialization_hypertable_schema name, materialization_hypertable_name name);
                CREATE TABLE timescaledb_information.jobs (
                    hypertable_schema name, hypertable_name name, proc_name name, config jsonb);
                GRANT USAGE ON SCHEMA _timescaledb_catalog, timescaledb_information TO PUBLIC;
                GRANT SELECT ON ALL TABLES IN SCHEMA timescaledb_information TO PUBLIC;
                GRANT SELECT ON pg_catalog.pg_dist_partition, _timescaledb_catalog.hypertable,
                _timescaledb_catalog.dimension, _timescaledb_catalog.chunk
                TO PUBLIC;
                """)
        try database.database.psql(
            """
            INSERT INTO pg_catalog.pg_dist_partition VALUES ('spread');
            INSERT INTO _timescaledb_catalog.hypertable VALUES ('public', 'hyper');
            INSERT INTO _timescaledb_catalog.chunk VALUES ('public', 'hyper_1');
            INSERT INTO hyper_1 VALUES ('2026-01-01'), ('2026-11-20')
            """)
        // A hypertable's rows are in its chunks, which have pages.
        #expect(try database.outcome(rule("hyper")).deleted == 1)
        try database.database.psql(
            "INSERT INTO timescaledb_information.chunks VALUES ('public', 'hyper_1', true)")
        for (table, cause) in [
            (
                "spread",
                "spread is a table of Citus, on whose shards its owner may have code that cannot be seen from here"
            ),
            ("hyper", "hyper_1 is a compressed chunk, whose pages do not have its rows"),
            ("hyper_1", "hyper_1 is a chunk of a hypertable of TimescaleDB"),
            (
                "columnar",
                "columnar has the access method other_heap, not heap, so its pages cannot be walked"
            ),
            ("parts", "part has the access method other_heap, not heap, so its pages cannot be walked"),
        ] {
            let report = try database.outcome(rule(table))
            #expect(report.outcome == .failed && report.failure?.cause == cause, "\(report)")
        }
        #expect(try database.outcome(rule("plain")).outcome == .done)
    }

    /// The table `t` with a hundred expired rows in its partition `p1`, and a role that may drop it.
    private func expiredPartition() throws -> OwnedDatabase {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (at timestamptz) PARTITION BY RANGE (at);
            CREATE TABLE p1 PARTITION OF t FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
            CREATE TABLE p2 PARTITION OF t FOR VALUES FROM ('2026-02-01') TO ('2027-01-01');
            INSERT INTO t SELECT '2026-01-01'::timestamptz + n * interval '1 hour' FROM generate_series(0, 99) n
            """)
        try database.database.psql("GRANT \(database.owner) TO \(database.role)")
        return database
    }

    @Test(
        "code that its owner puts on a partition after the count does not run when the partition is dropped")
    func codeOnPartition() throws {
        let database = try expiredPartition()
        try database.psql(
            """
            CREATE FUNCTION f(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS
            'BEGIN IF current_user <> ''\(database.owner)'' THEN RAISE EXCEPTION ''ran''; END IF; RETURN $1; END'
            """)
        var rule = rule()
        rule.partitions = .drop
        let report = try database.prune([rule]) { event in
            guard case .ruleStarted = event else { return }
            _ = try? database.psql("CREATE INDEX own ON p1 (at) WHERE f(1) = 1")
        }[0]
        #expect(
            report.failure?.cause.hasPrefix("index own of p1 calls public.f(integer)") == true, "\(report)")
        #expect(try database.psql("SELECT count(*) FROM p1") == "100")
    }

    @Test("rows that the app takes from an expired partition before it is dropped are no failure")
    func fewerRowsInPartition() throws {
        let database = try expiredPartition()
        var rule = rule()
        rule.partitions = .drop
        let report = try database.prune([rule]) { event in
            guard case .ruleStarted = event else { return }
            _ = try? database.psql("DELETE FROM t WHERE at < '2026-01-01 03:00Z'")
        }[0]
        #expect(report.outcome == .done && report.deleted == 97, "\(report)")
    }

    @Test("what an extension of the owner's has in the place of TimescaleDB's tables is not read")
    func fakeCatalog() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (at timestamptz); INSERT INTO t VALUES ('2026-01-01');
            CREATE EXTENSION citext; CREATE SCHEMA _timescaledb_catalog; GRANT USAGE ON SCHEMA _timescaledb_catalog TO PUBLIC;
            CREATE FUNCTION f(OUT schema_name name, OUT table_name name) RETURNS SETOF record LANGUAGE plpgsql AS
            'BEGIN RAISE EXCEPTION ''ran''; END';
            CREATE VIEW _timescaledb_catalog.hypertable AS SELECT * FROM f();
            GRANT SELECT ON _timescaledb_catalog.hypertable TO PUBLIC;
            ALTER EXTENSION citext ADD VIEW _timescaledb_catalog.hypertable
            """)
        #expect(try database.outcome(rule()).deleted == 1)
    }

    @Test("a partition of numbers that are no times is not dropped")
    func numbersBelow() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int, at bigint) PARTITION BY RANGE (at);
            CREATE TABLE p1 PARTITION OF t FOR VALUES FROM (0) TO (946684800);
            CREATE TABLE p2 PARTITION OF t FOR VALUES FROM (946684800) TO (1700000000);
            CREATE TABLE p3 PARTITION OF t FOR VALUES FROM (1700000000) TO (1900000000);
            INSERT INTO t SELECT i, i FROM generate_series(1, 5) i;
            INSERT INTO t SELECT i, 1600000000 + i FROM generate_series(1, 30) i;
            INSERT INTO t SELECT i, 1795000000 FROM generate_series(1, 9) i;
            """)
        try database.database.psql("GRANT \(database.owner) TO \(database.role)")
        var rule = rule()
        rule.partitions = .drop
        let report = try database.outcome(rule)
        #expect(report.outcome == .done && report.deleted == 30, "\(report)")
        #expect(try database.psql("SELECT count(*) FROM p1") == "5")
        #expect(try database.psql("SELECT to_regclass('p2') IS NULL") == "t")
    }

    @Test("rows that refer to one partition are reached as those that refer to the table")
    func referenceToPartition() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int, at timestamptz) PARTITION BY HASH (id);
            CREATE TABLE p1 PARTITION OF t FOR VALUES WITH (MODULUS 1, REMAINDER 0);
            ALTER TABLE p1 ADD PRIMARY KEY (id);
            CREATE TABLE child (id int REFERENCES p1 ON DELETE CASCADE);
            INSERT INTO t \(Self.rows) FROM generate_series(1, 40) i;
            INSERT INTO child SELECT i FROM generate_series(1, 40) i;
            """)
        let report = try database.outcome(rule())
        #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
        var declared = rule()
        declared.dependents = ["child"]
        let done = try database.outcome(declared)
        #expect(done.outcome == .done && done.deleted == 20 && done.dependentsDeleted == 20, "\(done)")
    }

    @Test("dependents through two levels are deleted and counted, in partitions as well")
    func dependents() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz);
            CREATE TABLE child (id int, up int REFERENCES t ON DELETE CASCADE, PRIMARY KEY (id)) PARTITION BY HASH (id);
            CREATE TABLE c1 PARTITION OF child FOR VALUES WITH (MODULUS 2, REMAINDER 0);
            CREATE TABLE c2 PARTITION OF child FOR VALUES WITH (MODULUS 2, REMAINDER 1);
            CREATE TABLE grandchild (up int REFERENCES child ON DELETE CASCADE);
            INSERT INTO t \(Self.rows) FROM generate_series(1, 40) i;
            INSERT INTO child SELECT i, (i - 1) / 2 + 1 FROM generate_series(1, 80) i;
            INSERT INTO grandchild SELECT i FROM generate_series(1, 80) i;
            """)
        var declared = rule()
        declared.dependents = ["child"]
        #expect(try database.outcome(declared).outcome == .failed)
        declared.dependents = ["child", "grandchild"]
        let report = try database.outcome(declared)
        #expect(
            report.outcome == .done && report.deleted == 20 && report.dependentsDeleted == 80, "\(report)")
        try database.psql(
            "ALTER TABLE child DROP CONSTRAINT child_up_fkey, ADD FOREIGN KEY (up) REFERENCES t ON DELETE SET NULL"
        )
        #expect(try database.outcome(declared).outcome == .failed)
    }

    @Test(
        "A foreign key that the server compares otherwise than SQL does is followed by no rule: it would take unseen rows along",
        arguments: [
            ("id char(5) PRIMARY KEY, up text REFERENCES t ON DELETE CASCADE", "item text REFERENCES t"),
            ("id char(5) PRIMARY KEY, up char(5)", "item text REFERENCES t ON DELETE CASCADE"),
            (
                "id text PRIMARY KEY, up text COLLATE folding REFERENCES t ON DELETE CASCADE",
                "item text COLLATE folding REFERENCES t"
            ),
        ])
    func otherComparison(own: String, others: String) throws {
        let database = try OwnedDatabase(
            """
            CREATE COLLATION folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
            CREATE TABLE t (\(own), at timestamp(0)); CREATE TABLE child (\(others));
            CREATE INDEX ON t (up); CREATE INDEX ON child (item);
            INSERT INTO t VALUES ('abc', NULL, '2026-01-01'); INSERT INTO child VALUES ('abc');
            """)
        for reference in [nil, ColumnReference(table: "child", column: "item")] {
            var refused = rule()
            refused.time.zone = .gmt
            refused.keptBy = [reference].compactMap(\.self)
            refused.dependents = reference == nil && others.hasSuffix("CASCADE") ? ["child"] : []
            let report = try database.outcome(refused)
            #expect(report.outcome == .failed && report.deleted == 0, "\(report)")
            #expect(report.failure?.hint?.contains("one type and collation") == true, "\(report)")
        }
    }

    @Test("dependents of the row itself may be read: no other row's deletion changes them")
    func ownDependents() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (n serial PRIMARY KEY, id uuid NOT NULL UNIQUE, at timestamp(0));
            CREATE TABLE tag (t_id uuid NOT NULL REFERENCES t (id) ON DELETE CASCADE, name text, PRIMARY KEY (t_id, name));
            CREATE TABLE watched (name text PRIMARY KEY);
            INSERT INTO t (id, at) SELECT md5(i::text)::uuid, '2026-10-01' FROM generate_series(1, 400) i;
            INSERT INTO tag SELECT id, CASE WHEN n % 100 = 1 THEN 'slow' ELSE 'quick' END FROM t WHERE n % 2 = 1;
            INSERT INTO watched VALUES ('slow');
            """)
        var kept = rule()
        kept.time.zone = .gmt
        kept.keptBy = [ColumnReference(table: "tag", column: "t_id")]
        let hint = try #require(try database.outcome(kept).failure?.hint)
        (kept.keptBy, kept.dependents) = ([], ["tag"])
        kept.protect = [String(hint.split(separator: "\"")[1])]
        #expect(try database.outcome(kept, dryRun: true).expired == 200)
        kept.protect = ["id IN (SELECT x.t_id FROM tag x JOIN watched w ON w.name = x.name)"]
        let failure = try database.outcome(kept).failure
        #expect(failure?.cause.contains("reads tag, of which rule old deletes rows") == true)
        #expect(failure?.hint?.hasSuffix("EXISTS (SELECT 1 FROM tag WHERE tag.t_id = t.id)") == true)
        kept.protect = ["EXISTS (SELECT 1 FROM tag x JOIN watched w ON w.name = x.name WHERE x.t_id = t.id)"]
        let report = try database.outcome(kept)
        #expect(
            report.outcome == .done && report.deleted == 396 && report.dependentsDeleted == 196, "\(report)")
        #expect(try database.psql("SELECT count(*) FROM tag") == "4")
    }

    @Test("tables without a key, with generated and dropped columns, with large values")
    func shapes() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (gone int, at timestamptz, body text, size int GENERATED ALWAYS AS (length(body)) STORED, m boolean);
            ALTER TABLE t DROP COLUMN gone;
            INSERT INTO t (at, body, m) SELECT '2026-10-01', repeat(md5(i::text), 3000), NULL FROM generate_series(1, 20) i;
            INSERT INTO t (at, body, m) SELECT '2026-11-19', 'x', i = 1 FROM generate_series(1, 20) i;
            """)
        var mark = rule()
        mark.action = .mark([MarkedColumn("m", .integer(1))])
        mark.condition = "size > 5"
        #expect(try database.outcome(mark).deleted == 20)
        #expect(try database.psql("SELECT count(*) FROM t WHERE m") == "21")
        #expect(try database.outcome(mark).deleted == 0)
        #expect(try database.outcome(rule()).deleted == 20)
        try database.psql("CREATE TABLE heir () INHERITS (t)")
        #expect(try database.outcome(rule()).outcome == .failed)
    }

    @Test("a partitioned table of few rows needs no index for the newest of each group")
    func smallPartitions() throws {
        let database = try OwnedDatabase(
            """
            CREATE TABLE t (id int, at timestamptz, g int) PARTITION BY HASH (id);
            CREATE TABLE p1 PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 0);
            CREATE TABLE p2 PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 1);
            INSERT INTO t \(Self.rows), i % 2 FROM generate_series(1, 40) i
            """)
        var rule = rule()
        (rule.keepLast, rule.keepLastPer) = (15, ["g"])
        #expect(try database.outcome(rule, dryRun: true).expired == 10)
        #expect(try database.outcome(rule).deleted == 10)
    }

    @Test(
        "a row is found by its key, of whatever type",
        arguments: [
            ("char(5)", "'abc'", "abc"), ("bit(3)", "'101'", "101"), ("numeric(5, 2)", "1.50", "1.5"),
        ])
    func keyTypes(type: String, value: String, key: String) throws {
        let database = try OwnedDatabase(
            "CREATE TABLE t (id \(type) PRIMARY KEY, at timestamptz); INSERT INTO t VALUES (\(value), '2026-01-01')"
        )
        let view = try database.store([rule()]).openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        #expect(try view.judge([key], by: PruneTask(rule(), start: runStart, in: .gmt))?.verdict == .goes)
    }
}
