import GRDB
import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// Stores that use a collation, a function or a module that only their app has.
struct MissingExtensionTests {
    private func store(_ sql: String) throws -> TemporaryStore {
        let app = try TemporaryStore("CREATE TABLE unrelated (x);")
        try app.open { db in
            db.add(
                collation: DatabaseCollation("theirs") {
                    $0 < $1 ? .orderedAscending : $0 == $1 ? .orderedSame : .orderedDescending
                })
            db.add(function: DatabaseFunction("theirs", argumentCount: 1, pure: true) { $0[0] })
            try db.execute(
                sql: """
                    \(sql)
                    INSERT INTO t (id, at) VALUES (1, \(old)), (2, \(fresh));
                    """)
        }
        return app
    }

    @Test(
        "a rule whose table needs what only the app has fails, and nothing is called damaged",
        arguments: [
            "CREATE TABLE t (id TEXT COLLATE theirs PRIMARY KEY, at INTEGER);",
            "CREATE TABLE t (id TEXT COLLATE theirs PRIMARY KEY, at INTEGER) WITHOUT ROWID;",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, name TEXT); CREATE INDEX i ON t (name COLLATE theirs);",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE INDEX i ON t (theirs(at));",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE INDEX i ON t (at) WHERE theirs(id) = 7;",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x INTEGER AS (theirs(at))); CREATE INDEX i ON t (x);",
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE TRIGGER d AFTER DELETE ON t BEGIN SELECT theirs(OLD.id); END;
            """,
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE VIRTUAL TABLE f USING fts5(x);
            CREATE TRIGGER d AFTER DELETE ON t BEGIN DELETE FROM f WHERE rowid = OLD.id; END;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE f USING fts5(x, tokenize = ''theirs'')' WHERE name = 'f';
            """,
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE VIRTUAL TABLE f USING fts4(x);
            CREATE TRIGGER d AFTER DELETE ON t BEGIN DELETE FROM f WHERE rowid = OLD.id; END;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE f USING fts4(x, tokenize=theirs)' WHERE name = 'f';
            """,
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE VIRTUAL TABLE f USING fts5(x);
            CREATE TRIGGER d AFTER DELETE ON t BEGIN DELETE FROM f WHERE rowid = OLD.id; END;
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE f USING theirs(x)' WHERE name = 'f';
            """,
        ])
    func failed(schema: String) throws {
        let app = try store(schema)
        let report = app.outcome()
        #expect(report.outcome == .failed)
        #expect(
            report.failure?.kind == .fault(.unsupported), "\(report.failure?.description ?? "no failure")")
        #expect(report.deleted == 0)
    }

    @Test(
        "what cannot be checked of tables that no rule names is a remark, and damage of the others is found")
    func partlyChecked() throws {
        let app = try store(
            """
            CREATE TABLE tags (tag TEXT); CREATE INDEX i ON tags (tag COLLATE theirs);
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE INDEX t_at ON t (at);
            """)
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        #expect(throws: StoreError.self) { try view.verifyIntegrity() }
        #expect(
            try view.verifyIntegrity(for: [.old()])?.contains("no such collation sequence: theirs") == true)
        // The rule itself says what it lacks.
        #expect(try view.verifyIntegrity(for: [.old("tags")]) != nil)
        try app.execute(
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX t_at ON t (at, id)' WHERE name = 't_at'"
        )
        let error = #expect(throws: StoreError.self) {
            let view = try app.store.openView(freeControl())
            defer { view.close() }
            _ = try view.verifyIntegrity(for: [.old()])
        }
        #expect(error?.kind == .damaged, "\(String(describing: error))")
    }

    @Test(
        "what only the app has is no obstacle where the rule does not need it",
        arguments: [
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, CHECK (theirs(id) > 0));",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, x TEXT COLLATE theirs DEFAULT 'x');",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE TABLE u (x TEXT COLLATE theirs PRIMARY KEY);",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE VIEW v AS SELECT theirs(id) FROM t;",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE TABLE u (x); CREATE INDEX i ON u (theirs(x));",
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); CREATE VIRTUAL TABLE f USING fts5(x);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = 'CREATE VIRTUAL TABLE f USING theirs(x)' WHERE name = 'f';
            """,
        ])
    func unaffected(schema: String) throws {
        let app = try store(schema)
        let report = app.outcome()
        #expect(report.outcome == .done, "\(report.failure?.description ?? "no failure")")
        #expect(report.deleted == 1)
    }
}
