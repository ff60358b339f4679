import CSQLite
import Foundation
import SQLite
import TestSupport
import Testing

@testable import SQLitePruning

/// The layer over SQLite's C interface.
struct DatabaseTests {
    private let app: TemporaryStore

    init() throws {
        app = try TemporaryStore(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, x UNIQUE); INSERT INTO t VALUES (1, 'a');"
        )
    }

    private func open(isReadOnly: Bool = false) throws -> Database {
        try Database(uri: "file:" + app.path, isReadOnly: isReadOnly, busyTimeout: 0)
    }

    @Test(
        "a value comes back as it was bound",
        arguments: [
            (.null, "null"), (.int64(.min), "integer"), (.int64(.max), "integer"), (.double(-0.5), "real"),
            (.text(""), "text"), (.text("a\u{0}ä"), "text"), (.blob([]), "blob"), (.blob([0, 255]), "blob"),
        ] as [(DatabaseValue, String)])
    func values(value: DatabaseValue, type: String) throws {
        let row = try open().row(
            "SELECT :value, typeof(:value), :missing", ["value": value, "unused": .null])
        #expect(row == [value, .text(type), .null])
    }

    @Test("text that is not UTF-8 is mended, and not cut")
    func mendedText() throws {
        #expect(try open().value("SELECT CAST(x'61FF0062' AS TEXT)") == .text("a\u{FFFD}\u{0}b"))
    }

    @Test("an unknown name in double quotes is an error, and no string")
    func doubleQuotes() throws {
        let error = #expect(throws: DatabaseError.self) { try open().rows("SELECT \"nothing\" FROM t") }
        #expect(error == DatabaseError(code: SQLITE_ERROR, message: "no such column: nothing"))
    }

    @Test("an error has the extended code, and leaves the statement ready to run again")
    func failedStep() throws {
        let db = try open()
        let insert = "INSERT INTO t (x) VALUES (:x)"
        let error = #expect(throws: DatabaseError.self) { try db.execute(insert, ["x": .text("a")]) }
        #expect(error?.code == SQLITE_CONSTRAINT | 8 << 8)
        #expect(error?.message == "UNIQUE constraint failed: t.x")
        try db.execute(insert, ["x": .text("b")])
        #expect(db.changes == 1)
        #expect(try db.rows("SELECT x FROM t ORDER BY id") == [[.text("a")], [.text("b")]])
    }

    @Test("a statement that has run, or failed, leaves no transaction open")
    func noTransaction() throws {
        let db = try open()
        _ = try db.row("SELECT id FROM t")
        #expect(sqlite3_txn_state(db.handle, nil) == SQLITE_TXN_NONE)
        #expect(throws: DatabaseError.self) {
            try db.rows("SELECT abs(iif(id = 1, -9223372036854775807 - 1, 0)) FROM t")
        }
        #expect(sqlite3_txn_state(db.handle, nil) == SQLITE_TXN_NONE)
        let statement = try Statement("SELECT id FROM t", on: db.handle)
        #expect(try statement.step())
        #expect(sqlite3_txn_state(db.handle, nil) == SQLITE_TXN_READ)
        statement.reset()
        #expect(sqlite3_txn_state(db.handle, nil) == SQLITE_TXN_NONE)
    }

    @Test("a snapshot ends with what was done in it, whether that failed or not")
    func snapshot() throws {
        let db = try open()
        #expect(try db.inSnapshot { try db.value("SELECT count(*) FROM t") } == .int64(1))
        #expect(throws: DatabaseError.self) { try db.inSnapshot { try db.rows("SELECT nothing FROM t") } }
        #expect(sqlite3_get_autocommit(db.handle) != 0)
        db.rollback()
    }

    @Test("foreign keys are in force, and read-only is read-only")
    func configuration() throws {
        #expect(try open().value("PRAGMA foreign_keys") == .int64(1))
        let error = #expect(throws: DatabaseError.self) {
            try open(isReadOnly: true).execute("DELETE FROM t")
        }
        #expect(error?.code == SQLITE_READONLY)
    }

    @Test("a file that is missing is not created, and the error says so")
    func missing() throws {
        let uri = "file:" + app.path + ".missing?mode=rw"
        let error = #expect(throws: DatabaseError.self) {
            try Database(uri: uri, isReadOnly: false, busyTimeout: 0)
        }
        #expect(error?.message == "unable to open database file")
        #expect(try app.directory.entries.filter { $0.contains("missing") } == [])
    }

    @Test("a connection that is closed, or forgotten, has let go of the file, and can be closed again")
    func closed() throws {
        let db = try open()
        _ = try db.rows("SELECT * FROM t")
        #expect(try app.directory.entries.count == 3)
        db.close()
        // The last one to close a store in WAL mode takes the log away.
        #expect(try app.directory.entries == ["app.sqlite"])
        db.close()
        #expect(throws: DatabaseError(code: SQLITE_MISUSE, message: "bad parameter or other API misuse")) {
            try db.rows("SELECT id FROM t")
        }
        do {
            let forgotten = try open()
            _ = try forgotten.rows("SELECT * FROM t")
        }
        #expect(try app.directory.entries == ["app.sqlite"])
    }
}
