import Pruning
import Retention
import TestSupport
import Testing

@testable import PostgreSQLPruning

@Suite("Rows that came back are counted")
struct ReturnTests {
    private static let table = """
        CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY, at timestamptz, feed int, guid text, body text);
        INSERT INTO t (at, feed, guid, body)
        SELECT '2026-01-01', 1, nullif('g' || n, 'g5'), 'old' FROM generate_series(1, 5) n
        """

    private func cameBack(_ store: ArchivedDatabase, _ rule: RetentionRule) throws -> Int64? {
        let view = try store.store().openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        return try view.cameBack(of: PruneTask(rule, start: runStart, in: .gmt))
    }

    @Test("A deleted row is known again under another key, once; restored ones are not counted")
    func identities() throws {
        let store = try ArchivedDatabase(Self.table)
        let rule = RetentionRule.archiving(identity: ["feed", "guid"])
        #expect(try cameBack(store, rule) == nil)
        #expect(try store.prune(rule).rules.map(\.deleted) == [5])
        #expect(try cameBack(store, rule) == 0)
        try store.app.psql(
            """
            INSERT INTO t (at, feed, guid, body) VALUES (now(), 1, 'g2', 'again'), (now(), 2, 'g1', 'of another feed'),
                (now(), 1, 'g9', 'new'), ('2026-01-01', 1, 'g4', 'again')
            """)
        #expect(try cameBack(store, rule) == 2)
        #expect(try cameBack(store, rule) == 0)
        #expect(try store.restore().map(\.restored) == [5])
        #expect(try cameBack(store, rule) == 0)
    }

    @Test("Without identity it is unknown what came back")
    func unknown() throws {
        let store = try ArchivedDatabase(Self.table)
        #expect(try store.prune(.archiving()).rules.map(\.deleted) == [5])
        #expect(try cameBack(store, .archiving()) == nil)
    }

    @Test("A row whose mark is gone came back")
    func marks() throws {
        let store = try ArchivedDatabase(
            """
            CREATE TABLE t (id int PRIMARY KEY, at timestamptz, guid text, gone boolean DEFAULT false);
            INSERT INTO t SELECT n, '2026-01-01', 'g' || n FROM generate_series(1, 5) n
            """)
        let rule = RetentionRule.archiving(
            action: .mark([MarkedColumn("gone", .integer(1))]), identity: ["guid"])
        #expect(try store.prune(rule).rules.map(\.deleted) == [5])
        #expect(try cameBack(store, rule) == 0)
        try store.app.psql("UPDATE t SET gone = false WHERE id < 3")
        #expect(try cameBack(store, rule) == 2)
    }
}
