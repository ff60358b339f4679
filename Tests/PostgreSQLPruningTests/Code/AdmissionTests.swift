import Pruning
import TestSupport
import Retention
import Synchronization
import Testing

@testable import PostgreSQLPruning

@Suite(
    "A rule on a PostgreSQL table works only where everything that would happen is known",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct AdmissionTests {
    private let store: OwnedDatabase
    private static let schema = """
        CREATE TABLE items (id bigint PRIMARY KEY, title text, received timestamptz);
        CREATE TABLE pins (item bigint REFERENCES items);
        CREATE FUNCTION fired() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RESET ROLE; RETURN OLD; END $$;
        """

    init() throws { store = try OwnedDatabase(Self.schema) }

    /// What binding the rule says.
    private func refusal(_ gate: StoreGate? = nil, _ rule: RetentionRule? = nil) throws -> StoreError? {
        let rule = try rule ?? OwnedDatabase.rule()
        let access = storeAccess(gate: gate, rules: [rule])
        return try store.transaction { connection in
            do {
                _ = try access.bind(rule, in: connection)
                return nil
            } catch let error as StoreError {
                return error
            }
        }
    }

    private func storeAccess(gate: StoreGate?, rules: [RetentionRule]) -> StoreAccess {
        StoreAccess(
            name: "news", address: Address(text: store.database.url(user: store.role), place: "the database"),
            rules: rules, gate: gate, archive: nil, lockTime: LockTime(.milliseconds(50)),
            replicas: ReplicaWatch(most: nil),
            monotonic: systemMonotonic)
    }

    private func gate(of tables: [String], triggers: Set<String> = []) throws -> StoreGate {
        let schema = try store.transaction { try StoreSchema(of: tables, in: $0) }
        return StoreGate([.init(versions: "1.0", schema)], triggers: triggers)
    }

    @Test("A rule on a table asks the server no more when it has ten times the partitions")
    func partitions() throws {
        func questions(_ partitions: Int) throws -> Int {
            let table = "parted\(partitions)"
            let parts = (0..<partitions).map {
                "CREATE TABLE \(table)_\($0) PARTITION OF \(table) FOR VALUES IN (\($0));"
            }
            try store.psql(
                """
                CREATE TABLE \(table) (id bigint PRIMARY KEY, received timestamptz) PARTITION BY LIST (id);
                CREATE INDEX ON \(table) (received); \(parts.joined())
                """)
            var rule = try OwnedDatabase.rule()
            (rule.table, rule.keepLast) = (table, 1)
            return try self.questions(to: storeAccess(gate: nil, rules: [rule]), about: rule)
        }
        #expect(try questions(60) < 2 * questions(6))
    }

    @Test("A rule asks the server no more when ten times as many others are on its table")
    func rules() throws {
        func questions(_ count: Int) throws -> Int {
            let rules = try (0..<count).map { number in
                var rule = try OwnedDatabase.rule()
                (rule.name, rule.condition) = (try #require(Name("r\(number)")), "title = '\(number)'")
                return rule
            }
            return try self.questions(to: storeAccess(gate: nil, rules: rules), about: rules[count - 1])
        }
        #expect(try questions(60) < 2 * questions(6))
    }

    /// About how many questions the server is asked to bind `rule`: the clock is read twice for each.
    private func questions(to access: StoreAccess, about rule: RetentionRule) throws -> Int {
        let looks = Mutex(0)
        let connection = try Connection(
            access.address,
            RunControl {
                looks.withLock { $0 += 1 }
                return systemMonotonic()
            })
        defer { connection.close() }
        _ = try connection.transaction(.reading) { try access.bind(rule, in: connection) }
        return looks.withLock { $0 }
    }

    @Test("A trigger may fire if the store's preset names it and knows its text")
    func triggers() throws {
        #expect(try refusal() == nil)
        try store.psql("CREATE TRIGGER noted AFTER DELETE ON items FOR EACH ROW EXECUTE FUNCTION fired()")
        #expect(try refusal()?.cause.hasPrefix("trigger noted on items would run") == true)
        #expect(try refusal(gate(of: ["items", "pins"]))?.cause.hasPrefix("trigger noted on items") == true)
        let gate = try gate(of: ["items", "pins"], triggers: ["noted"])
        #expect(try refusal(gate) == nil)
        try store.psql(
            "CREATE OR REPLACE FUNCTION fired() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$"
        )
        #expect(try refusal(gate)?.kind == .unknownSchema)
    }

    @Test("A store with an unknown column is refused, and a rule that reaches an unknown table")
    func gates() throws {
        let whole = try gate(of: ["items", "pins"])
        #expect(try refusal(whole) == nil)
        let part = try gate(of: ["items"])
        #expect(try refusal(part)?.cause.hasPrefix("the rule reaches table pins") == true)
        try store.psql("ALTER TABLE items ADD pinned boolean")
        let refused = try refusal(whole)
        #expect(refused?.kind == .unknownSchema)
        #expect(refused?.hint?.contains("accept_columns = [\"items.pinned\"]") == true)
    }

    @Test("A role that may not delete is told the GRANT")
    func rights() throws {
        try store.psql("REVOKE ALL ON items FROM \(store.role); GRANT SELECT ON items TO \(store.role)")
        let refused = try refusal()
        #expect(
            refused?.hint == "GRANT DELETE, UPDATE (\"id\") ON \"public\".\"items\" TO \"\(store.role)\"")
    }

    @Test("Rows that a foreign key on one partition alone would take along must be declared")
    func partitionKeys() throws {
        try store.psql(
            """
            CREATE TABLE visits (id bigint PRIMARY KEY, received timestamptz) PARTITION BY RANGE (id);
            CREATE TABLE low PARTITION OF visits FOR VALUES FROM (0) TO (10);
            CREATE TABLE hits (visit bigint REFERENCES low (id) ON DELETE CASCADE);
            """)
        let refused = try refusal(nil, OwnedDatabase.rule(on: "visits"))
        #expect(refused?.cause.contains("would also delete rows of hits (a foreign key)") == true)
    }

    @Test("The versions of the schema that the gate found are said")
    func versions() throws {
        let access = storeAccess(gate: try gate(of: ["items", "pins"]), rules: [])
        let view = try PostgreSQLView(access, RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        #expect(try view.knownSchema() == "1.0")
    }
}
