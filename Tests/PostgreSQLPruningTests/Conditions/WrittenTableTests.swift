import Retention
import RuleEngine
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite(
    "Other tables that conditions on a PostgreSQL table read",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct WrittenTableTests {
    static let schema = """
        CREATE TABLE items (id bigint PRIMARY KEY, feed_id int, title text, read boolean, received timestamptz);
        CREATE TABLE labels (item bigint REFERENCES items ON DELETE CASCADE, name text);
        CREATE TABLE notes (item bigint REFERENCES items ON DELETE SET NULL, body text);
        CREATE TABLE pins (item bigint REFERENCES items, by_whom text);
        CREATE TABLE gone (guid text PRIMARY KEY);
        CREATE TABLE visits (item bigint, seen timestamptz) PARTITION BY RANGE (item);
        CREATE TABLE visits_low PARTITION OF visits FOR VALUES FROM (0) TO (100);
        """

    @Test("A condition reads no table that its rule changes, nor one that others change but by deleting rows")
    func writtenTables() throws {
        let store = try OwnedDatabase(Self.schema)
        func cause(_ table: String, _ change: (inout RetentionRule) throws -> Void, other: Bool = false)
            throws
            -> SchemaMismatch?
        {
            let reading = "EXISTS (SELECT 1 FROM \(table) t WHERE t.item + 0 = items.id)"
            var rule = try OwnedDatabase.rule(
                where: table == "gone" ? "title IN (SELECT gone.guid FROM gone)" : reading)
            if !other { try change(&rule) }
            var second = try OwnedDatabase.rule("second", on: table)
            if other { try change(&second) }
            return try store.refusal(of: rule, beside: other ? [second] : [])
        }
        let cascade = try cause("labels") { _ in }
        #expect(
            cascade?.cause.hasSuffix(
                "reads labels, which changes with the rows of rule old-items (a foreign key)") == true)
        #expect(try cause("notes") { _ in }?.cause.contains("(a foreign key)") == true)
        #expect(try cause("pins") { _ in } == nil)
        #expect(try cause("labels") { $0.keptBy = [ColumnReference(table: "labels", column: "item")] } == nil)
        let dependent = try cause("pins") { $0.dependents = ["pins"] }
        #expect(dependent?.cause.hasSuffix("reads pins, of which rule old-items deletes rows") == true)
        let tombstones = try cause("gone") {
            $0.tombstone = Tombstone(
                table: "gone", columns: [Tombstone.CopiedColumn("guid", from: "title")], condition: nil)
        }
        #expect(tombstones?.cause.hasSuffix("reads gone, where rule old-items leaves tombstones") == true)
        let second = try cause("visits", { $0.table = "visits_low" }, other: true)
        #expect(second?.cause.hasSuffix("reads visits, of which rule second deletes rows") == true)
        #expect(second?.hint == "read the table of that rule itself, or name its column in kept_by")
        let marked = try cause(
            "pins", { $0.action = .mark([MarkedColumn("by_whom", .text("x"))]) }, other: true)
        #expect(marked?.cause.hasSuffix("reads pins, whose rows rule second marks") == true)
    }

    @Test(
        "What is checked is the table that the condition's SQL reads, whatever else has its name",
        arguments: [
            "CREATE TABLE app.audit (item bigint)", "CREATE VIEW app.audit AS SELECT * FROM public.audit",
            "CREATE TABLE public.\"app.audit\" (item bigint)",
        ])
    func tableThatIsRead(other: String) throws {
        let store = try OwnedDatabase(
            "CREATE TABLE audit (item bigint, received timestamptz)",
            setup: """
                CREATE SCHEMA app; CREATE TABLE app.items (id bigint PRIMARY KEY, received timestamptz);
                GRANT ALL ON SCHEMA app TO PUBLIC; GRANT ALL ON app.items TO PUBLIC;
                """)
        try store.database.psql(other)
        let reading = try OwnedDatabase.rule(
            on: "app.items", protect: ["EXISTS (SELECT 1 FROM public.audit a WHERE a.item = items.id)"])
        var second = try OwnedDatabase.rule("second", on: "public.audit")
        second.action = .mark([MarkedColumn("item", .integer(0))])
        let refusal = try store.refusal(of: reading, beside: [second])
        #expect(
            refusal?.cause.hasSuffix("reads audit, whose rows rule second marks") == true,
            "\(refusal?.cause ?? "accepted")")
    }

    @Test(
        "A partition of a dependent's table is read as freely as the table: not at all, but for rows of the judged row",
        arguments: [
            ("d_low", "d_low.ref = items.id", ""),
            (
                "d", "d.item = items.id",
                "ALTER TABLE d_low ADD FOREIGN KEY (ref) REFERENCES items ON DELETE CASCADE"
            ),
        ])
    func partitionOfDependent(table: String, join: String, more: String) throws {
        let store = try OwnedDatabase(
            """
            CREATE TABLE items (id bigint PRIMARY KEY, received timestamptz);
            CREATE TABLE d (item bigint REFERENCES items ON DELETE CASCADE, ref bigint, part int) PARTITION BY LIST (part);
            CREATE TABLE d_low PARTITION OF d FOR VALUES IN (1); \(more)
            """)
        var rule = try OwnedDatabase.rule(protect: ["EXISTS (SELECT 1 FROM \(table) WHERE \(join))"])
        rule.dependents = more.isEmpty ? ["d"] : ["d", "d_low"]
        #expect(try store.refusal(of: rule)?.cause.contains("reads \(table), of which rule") == true)
        guard more.isEmpty else { return }
        rule.protect = ["EXISTS (SELECT 1 FROM d WHERE d.item = items.id)"]
        #expect(try store.refusal(of: rule) == nil)
    }

    @Test("The WHERE of tombstones is checked under its own key")
    func tombstoneCondition() throws {
        let store = try OwnedDatabase(Self.schema)
        var rule = try OwnedDatabase.rule()
        rule.tombstone = Tombstone(
            table: "gone", columns: [Tombstone.CopiedColumn("guid", from: "title")], condition: "titel <> ''")
        let refusal = try store.refusal(of: rule)
        #expect(refusal?.keys == ["tombstone", "where"])
        #expect(
            refusal?.cause.hasPrefix("tombstone.where = \"titel <> ''\" names titel, which is no column")
                == true)
    }

    @Test("A subquery that reads all of a big table for each row is refused with the index that helps")
    func scans() throws {
        let store = try OwnedDatabase(
            Self.schema + "INSERT INTO pins SELECT NULL, 'x' FROM generate_series(1, 10001);")
        let text = "EXISTS (SELECT 1 FROM pins p WHERE p.item = items.id)"
        let refusal = try store.refusal(of: text)
        #expect(
            refusal?.cause.hasSuffix("reads all of pins again and again, which has more than 10,000 rows")
                == true)
        #expect(refusal?.hint == "CREATE INDEX ON \"public\".\"pins\" (\"item\")")
        try store.psql(refusal?.hint ?? "")
        #expect(try store.refusal(of: text) == nil)
        try store.psql("ANALYZE")
        #expect(try store.refusal(of: text) == nil)
        // An index is no help if it is read from its start to its end.
        #expect(try store.refusal(of: "id IN (SELECT item FROM pins WHERE by_whom = 'x')") != nil)
    }

    @Test("SELECT, DELETE and UPDATE look other tables up by their indexes")
    func commonTables() throws {
        let store = try OwnedDatabase(
            Self.schema + """
                CREATE INDEX ON pins (item);
                INSERT INTO items SELECT i, 1, '', true, now() FROM generate_series(1, 20000) i;
                INSERT INTO pins SELECT i, '' FROM generate_series(1, 20000, 2) i; ANALYZE;
                """)
        let rule = try OwnedDatabase.rule(protect: ["EXISTS (SELECT 1 FROM pins p WHERE p.item = items.id)"])
        try store.transaction(.writing(lockTimeout: .seconds(1), statementTimeout: nil)) { connection in
            let items = try connection.relation(named: "items")
            let conditions = try RowConditions(of: rule, on: items, in: connection)
            #expect(conditions.tables == ["pins"])
            let condition =
                "WHERE items.ctid >= '(0,0)' AND items.ctid < '(2,0)' AND "
                + conditions.terms.joined(separator: " AND ")
            let target = "\(items.sql) AS \(items.alias)"
            try connection.run("SET LOCAL enable_seqscan = off")
            for statement in [
                "SELECT id FROM \(target) \(condition) FOR UPDATE OF items SKIP LOCKED",
                "DELETE FROM \(target) \(condition)", "UPDATE \(target) SET read = false \(condition)",
            ] {
                let plan = try connection.query("EXPLAIN " + statement).rows.map {
                    $0[0] ?? ""
                }
                #expect(plan.contains { $0.contains("Tid Range Scan on items") }, "\(plan)")
                #expect(plan.contains { $0.contains("pins_item_idx on pins") }, "\(plan)")
                #expect(!plan.contains { $0.contains("CTE Scan") || $0.contains("Seq Scan") }, "\(plan)")
            }
            let deleted = try connection.query(
                "DELETE FROM \(target) WHERE id <= 10 AND \(conditions.terms[0]) RETURNING id")
            #expect(deleted.rows.map { $0[0] } == ["2", "4", "6", "8", "10"])
        }
    }
}
