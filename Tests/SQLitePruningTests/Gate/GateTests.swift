import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// A store whose schema is none that its gate knows is refused before anything is counted.
struct GateTests {
    private static let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);"

    private func store(_ schema: String = Self.schema) throws -> TemporaryStore {
        try TemporaryStore(schema + "INSERT INTO t (id, at) VALUES (1, \(old)), (2, \(fresh));")
    }

    @Test("a store with the schema is pruned", arguments: [false, true])
    func passes(dryRun: Bool) throws {
        let report = try store().outcome(behind: StoreGate(Self.schema), dryRun: dryRun)
        #expect(report.outcome == .done && report.expired == 1)
    }

    @Test("a column that the schema does not have refuses the store, until it is accepted")
    func unknownColumn() throws {
        let app = try store(Self.schema + "ALTER TABLE t ADD COLUMN pinned INTEGER;")
        for dryRun in [true, false] {
            let report = app.outcome(behind: StoreGate(Self.schema), dryRun: dryRun)
            #expect(report.outcome == .failed && report.expired == nil)
            #expect(report.failure?.kind == .fault(.unknownSchema))
            #expect(
                report.failure?.cause == "its schema is not that of 1: table t has an unknown column pinned")
            #expect(report.failure?.hint?.contains("accept_columns = [\"t.pinned\"]") == true)
        }
        #expect(try app.integers("SELECT count(*) FROM t") == [2])
        #expect(app.outcome(behind: StoreGate(Self.schema, accepting: ["pinned"])).deleted == 1)
    }

    @Test("of several schemas one is enough, and else the nearest one's differences are said")
    func several() throws {
        let far = "CREATE TABLE item (x); CREATE TABLE t (a, b, c);"
        let gate = StoreGate([
            .init(versions: "1 to 2", try StoreSchema(sql: far)),
            .init(versions: "3", try StoreSchema(sql: Self.schema)),
        ])
        #expect(try store().outcome(behind: gate).deleted == 1)
        #expect(
            try store(Self.schema.replacing("INTEGER)", with: "INT NOT NULL)")).outcome(behind: gate).deleted
                == 1)
        let next = try store(Self.schema.replacing("INTEGER)", with: "BLOB)"))
        let failure = try #require(next.outcome(behind: gate).failure)
        #expect(failure.cause == "its schema is not that of 3: t.at is bytes, not a number")
        #expect(failure.hint == "known are the schemas of 1 to 2, 3; a newer pruned may know this one")
    }

    @Test(
        "the rules of a store are compared each for itself: what only one of them uses refuses that one alone"
    )
    func perRule() throws {
        let schema = Self.schema + "CREATE TABLE u (id INTEGER PRIMARY KEY, at INTEGER);"
        let app = try store(
            schema + "ALTER TABLE u ADD COLUMN pinned INTEGER; INSERT INTO u VALUES (1, \(old), 1);")
        let report = PruneRun.report(
            [.old(name: "one"), .old("u", name: "two")], on: [app.store(gate: StoreGate(schema))])
        #expect(report.rules.map(\.outcome) == [.done, .failed])
        #expect(try app.integers("SELECT count(*) FROM u") == [1])
    }

    @Test("the other rules of a store that is refused are not tried, and other stores are pruned")
    func otherStores() throws {
        let (app, other) = (try store("CREATE TABLE t (id INTEGER PRIMARY KEY, at TEXT);"), try store())
        var definition = StoreDefinition(name: "other", path: other.path)
        definition.gate = StoreGate(Self.schema)
        let stores = [
            app.store(gate: StoreGate(Self.schema)),
            SQLiteStore(definition, path: other.path, holder: "a test", monotonic: systemMonotonic),
        ]
        var elsewhere = RetentionRule.old(name: "elsewhere")
        elsewhere.store = "other"
        let report = PruneRun.report([.old(), .old(name: "second"), elsewhere], on: stores)
        #expect(report.rules.map(\.outcome) == [.failed, .failed, .done])
        #expect(report.rules[1].failure?.kind == .fault(.unknownSchema))
    }

    @Test(
        "a table that the rule reaches and the schema does not have is an error of the rule",
        arguments: [
            ("", RetentionRule.old("u"), "table u"),
            ("", .old(keptBy: ColumnReference(table: "u", column: "id")), "table u"),
            ("CREATE TABLE label (t_id INTEGER REFERENCES t (id));", .old(), "table label"),
            (
                "CREATE TABLE label (t_id INTEGER REFERENCES t (id) ON DELETE CASCADE);",
                .old(dependents: ["label"]), "table label"
            ),
        ])
    func uncovered(sql: String, rule: RetentionRule, table: String) throws {
        let app = try store(
            Self.schema + "CREATE TABLE u (id INTEGER PRIMARY KEY, at INTEGER REFERENCES t (id));" + sql)
        let failure = try #require(app.outcome(rule, behind: StoreGate(Self.schema)).failure)
        #expect(failure.kind == .fault(.schema))
        #expect(failure.cause.contains("reaches " + table), "\(failure)")
    }

    @Test("a table to which the deleted rows refer need not be in the schema, unless it refers to them, too")
    func parents() throws {
        let schema = "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, feed INTEGER REFERENCES feed (id));"
        let feed = "CREATE TABLE feed (id INTEGER PRIMARY KEY, cover INTEGER);"
        let gate = StoreGate(schema)
        #expect(try store(schema + feed).outcome(behind: gate).deleted == 1)
        let cover = feed.replacing("cover INTEGER", with: "cover INTEGER REFERENCES t (id)")
        let failure = try #require(try store(schema + cover).outcome(behind: gate).failure)
        #expect(failure.cause.contains("reaches table feed"), "\(failure)")
        var rule = RetentionRule.old()
        rule.protect = ["EXISTS (SELECT 1 FROM feed WHERE feed.id = t.feed)"]
        let read = try #require(try store(schema + feed).outcome(rule, behind: gate).failure)
        #expect(read.cause.contains("reaches table feed"), "\(read)")
    }

    @Test("the table of the tombstones must be in the schema, and a mark passes the gate like a deletion")
    func otherActions() throws {
        let gone = "CREATE TABLE gone (id INTEGER PRIMARY KEY);"
        var rule = RetentionRule.old()
        rule.tombstone = Tombstone(
            table: "gone", columns: [.init("id", from: "id")], condition: nil)
        let app = try store(Self.schema + gone)
        let failure = try #require(app.outcome(rule, behind: StoreGate(Self.schema)).failure)
        #expect(failure.cause.contains("reaches table gone"), "\(failure)")
        #expect(app.outcome(rule, behind: StoreGate(Self.schema + gone)).deleted == 1)
        #expect(try app.integers("SELECT id FROM gone") == [1])

        let schema = Self.schema.replacing(");", with: ", seen INTEGER);")
        var mark = RetentionRule.old()
        mark.action = .mark([MarkedColumn("seen", .integer(1))])
        let marked = try store(schema)
        let refused = try #require(marked.outcome(mark, behind: StoreGate(Self.schema)).failure)
        #expect(refused.kind == .fault(.unknownSchema))
        #expect(marked.outcome(mark, behind: StoreGate(schema)).deleted == 1)
        #expect(try marked.integers("SELECT seen FROM t WHERE seen IS NOT NULL") == [1])
    }

    @Test("a schema that changes in mid-run ends the run, and the rest of the rows stay")
    func midRun() throws {
        let app = try TemporaryStore(
            Self.schema + """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
                INSERT INTO t SELECT i, \(old) FROM n;
                """)
        let store = app.store(gate: StoreGate(Self.schema))
        let worker = try store.openWorker(freeControl())
        defer { worker.close() }
        _ = try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: .walk)
        #expect(try worker.deleteBatch(rows: 10).deleted == 10)
        try app.execute("ALTER TABLE t ADD COLUMN pinned INTEGER")
        let error = #expect(throws: StoreError.self) { try worker.deleteBatch(rows: 10) }
        #expect(error?.kind == .unknownSchema)
        #expect(try app.integers("SELECT count(*) FROM t") == [4_990])
    }
}
