import Foundation
import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Looking at a PostgreSQL database without reading all of it",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct PostgreSQLSketchingTests {
    private func sketch(_ sql: String) throws -> StoreSketch {
        let store = try OwnedDatabase(sql)
        let connection = try ConnectionString(store.database.url(user: store.role))
        return try PostgreSQLSketching(connection, control: RunControl(monotonic: systemMonotonic)).take()
    }

    @Test("rows are counted, and a part of them is looked at: the first, the last, and some between")
    func spread() throws {
        let table = try #require(
            try sketch(
                """
                CREATE TABLE t (id bigserial PRIMARY KEY, v int, long text, odd bytea);
                INSERT INTO t (v, long, odd) SELECT i * 2, repeat('x', 100), '\\x00' FROM generate_series(1, 20000) i;
                """
            ).tables.first)
        #expect(table.rows == 20_000 && !table.isEstimate)
        let values = table.columns[1].values
        #expect(values.count < 1_000)
        #expect(values.contains(.integer(2)) && values.contains(.integer(40_000)))
        let middle = table.spread.map { values[$0] }
        #expect((250...320).contains(middle.count))
        let upper = middle.count { if case .integer(let value) = $0 { value > 20_000 } else { false } }
        #expect(abs(2 * upper - middle.count) <= 10)
        #expect(table.columns[2].values.allSatisfy { $0 == .text(String(repeating: "x", count: 40)) })
        #expect(table.columns[3].values.allSatisfy { $0 == .blob })
    }

    @Test("a table whose index calls a function of its owner's is not read")
    func code() throws {
        let store = try OwnedDatabase(
            """
            CREATE TABLE t (id int); INSERT INTO t VALUES (1); CREATE SEQUENCE calls;
            CREATE FUNCTION evil(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM nextval(''public.calls''); RETURN 1; END';
            CREATE INDEX ON t (id) WHERE evil(1) = 1;
            SELECT setval('calls', 100)
            """)
        let connection = try ConnectionString(store.database.url(user: store.role))
        let sketch = try PostgreSQLSketching(connection, control: RunControl(monotonic: systemMonotonic))
            .take()
        #expect(sketch.tables.first?.obstacle?.contains("evil") == true, "\(sketch)")
        #expect(try store.psql("SELECT last_value FROM calls") == "100")
    }

    @Test("a type says what its values are: times are seconds, truth values are 0 and 1")
    func types() throws {
        let table = try #require(
            try sketch(
                """
                CREATE TYPE mood AS ENUM ('glad', 'sad');
                CREATE TABLE t (a timestamptz, b timestamp, c date, d boolean, e numeric, f varchar(9), g mood, h jsonb, i text[]);
                INSERT INTO t VALUES ('2024-01-01 00:00:00.5+00', '2024-01-01 00:00', '2024-01-01', true, 1.5, 'x', 'sad', '{}', '{}');
                INSERT INTO t (a) VALUES ('infinity');
                """
            ).tables.first)
        #expect(
            table.columns.map(\.type) == [
                .instant, .local, .local, .boolean, .number, .text, .text, .other, .other,
            ])
        let second = SketchedValue.integer(1_704_067_200)
        let first: [SketchedValue] = [
            second, second, second, .integer(1), .real(1.5), .text("x"), .text("sad"), .blob, .blob,
        ]
        for (column, value) in zip(table.columns, first) {
            #expect(Set(column.values) == [value, .null], "\(column.name)")
        }
    }

    @Test(
        "the schema says which columns are keys, refer to others, or have an index, and what refers to the table"
    )
    func schema() throws {
        let sketch = try sketch(
            """
            CREATE TABLE a (id int PRIMARY KEY, at timestamptz);
            CREATE INDEX ON a (at, id);
            CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a (id) ON DELETE CASCADE);
            CREATE TABLE c (id int PRIMARY KEY, b int REFERENCES b (id) ON DELETE CASCADE);
            CREATE TABLE d (a int REFERENCES a);
            CREATE VIEW v AS SELECT 1;
            """)
        #expect(sketch.tables.map(\.name) == ["a", "b", "c", "d"])
        #expect(sketch.tables[0].columns.map(\.isKey) == [true, false])
        #expect(sketch.tables[0].columns.map(\.isIndexed) == [true, true])
        #expect(sketch.tables[1].columns.map(\.refersTo) == [nil, "a"])
        #expect(
            sketch.tables[0].references == [
                ReferenceSketch(table: "b", column: "a", cascades: true),
                ReferenceSketch(table: "c", column: "b", cascades: true, refersToKey: false),
                ReferenceSketch(table: "d", column: "a", cascades: false),
            ])
    }

    @Test("a partitioned table is one, with rows of each of its partitions")
    func partitions() throws {
        let sketch = try sketch(
            """
            CREATE TABLE t (at timestamptz NOT NULL, v int, PRIMARY KEY (at, v)) PARTITION BY RANGE (at);
            CREATE TABLE t1 PARTITION OF t FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
            CREATE TABLE t2 PARTITION OF t FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
            INSERT INTO t SELECT '2024-06-01', i FROM generate_series(1, 600) i;
            INSERT INTO t SELECT '2025-06-01', i FROM generate_series(1, 600) i;
            """)
        #expect(sketch.tables.map(\.name) == ["t"] && sketch.tables[0].rows == 1_200)
        #expect(Set(sketch.tables[0].columns[0].values).count == 2)
    }

    @Test("a flag of each type is counted in all rows, and keys are looked for by their values")
    func counts() throws {
        let store = try OwnedDatabase(
            """
            CREATE TABLE posts (id bigserial PRIMARY KEY, "At" timestamp NOT NULL, unread boolean, "Star" text,
                read_at timestamptz);
            INSERT INTO posts ("At", unread, "Star", read_at)
            SELECT now() - i * interval '1 hour', i % 2 = 0, CASE i % 4 WHEN 0 THEN 'it''s' END,
                CASE WHEN i % 10 = 0 THEN now() - i * interval '1 minute' END FROM generate_series(1, 2000) i;
            CREATE TABLE "Mark s" ("Post" bigint);
            INSERT INTO "Mark s" SELECT i * 20 FROM generate_series(1, 90) i
            """)
        let connection = try ConnectionString(store.database.url(user: store.role))
        let sketching = PostgreSQLSketching(connection, control: RunControl(monotonic: systemMonotonic))
        let sketch = try sketching.take()
        let table = try #require(sketch.tables.first { $0.name == "posts" })
        let counts = Dictionary(
            uniqueKeysWithValues: table.columns.map { ($0.name, Set($0.counts.map(\.rows))) })
        #expect(counts["unread"] == [1_000] && counts["Star"] == [1_500, 500], "\(counts)")
        #expect(counts["read_at"] == [1_800, 200] && counts["At"] == [], "\(counts)")
        #expect((table.bytes ?? 0) > 100_000)
        let references = try ValueReferences(in: sketch, to: ["posts"], times: [:]) {
            (questions) throws(StoreError) in try sketching.count(questions)
        }
        #expect(
            references.all == [ValueReference(table: "Mark s", column: "Post", target: "posts")],
            "\(references.all)")
        #expect(references.isComplete)
        guard
            case .rule(let proposal) = TableProposal(
                for: table, in: sketch.tables, references: references.all, at: Date())
        else {
            Issue.record("no rule")
            return
        }
        #expect(proposal.time.column.name == "At" && proposal.time.format.zone == .gmt)
        #expect(proposal.keptBy == [ColumnReference(table: "Mark s", column: "Post")])
    }
}
