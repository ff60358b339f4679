import CSQLite
import GRDB
import Pruning
import SQLite
import Testing

@testable import SQLitePruning

struct SQLiteFailureTests {
    @Test(
        "what a result code means to a run",
        arguments: [
            (.SQLITE_BUSY, .busy), (.SQLITE_BUSY_SNAPSHOT, .busy), (.SQLITE_BUSY_RECOVERY, .busy),
            (.SQLITE_LOCKED, .busy), (.SQLITE_FULL, .full), (.SQLITE_IOERR_WRITE, .full),
            (.SQLITE_TOOBIG, .tooLarge),
            (.SQLITE_IOERR_TRUNCATE, .full), (.SQLITE_IOERR_SHMSIZE, .full), (.SQLITE_IOERR_SHMMAP, .full),
            (.SQLITE_IOERR_FSYNC, .full), (.SQLITE_IOERR_READ, .inputOutput), (.SQLITE_IOERR, .inputOutput),
            (.SQLITE_READONLY, .inputOutput), (.SQLITE_READONLY_DBMOVED, .replaced),
            (.SQLITE_CANTOPEN, .inputOutput), (.SQLITE_PERM, .inputOutput), (.SQLITE_CORRUPT, .damaged),
            (.SQLITE_CORRUPT_VTAB, .damaged), (.SQLITE_NOTADB, .damaged), (.SQLITE_INTERRUPT, .interrupted),
            (.SQLITE_SCHEMA, .schema), (.SQLITE_ERROR, .schema), (.SQLITE_CONSTRAINT_FOREIGNKEY, .other),
            (.SQLITE_NOMEM, .inputOutput), (.SQLITE_PROTOCOL, .inputOutput), (.SQLITE_MISUSE, .other),
        ] as [(ResultCode, StoreError.Kind)])
    func kind(code: ResultCode, kind: StoreError.Kind) {
        #expect(SQLiteFailure.kind(of: code.rawValue, message: "words") == kind)
    }

    @Test(
        "what is missing here is not an error of the store's",
        arguments: [
            "no such collation sequence: x", "no such function: x", "unknown function: x()",
            "no such module: x",
            "no such tokenizer: x", "unknown tokenizer: x", "error: No Such Tokenizer: x",
        ])
    func missing(message: String) {
        #expect(SQLiteFailure.kind(of: SQLITE_ERROR, message: message) == .unsupported)
    }

    @Test("a failure says what was tried, where, why, and what helps")
    func words() {
        let failure = SQLiteFailure(operation: "count", place: "/a/b")
        let error = #expect(throws: StoreError.self) {
            try failure.translating {
                throw SQLite.DatabaseError(code: SQLITE_FULL, message: "database or disk is full")
            }
        }
        #expect(
            error?.description == "cannot count in /a/b: database or disk is full (SQLite 13); "
                + "make room on the file system; the next run goes on")
    }

    @Test("a store's own error passes unchanged")
    func ownError() {
        let own = StoreError(.unsafe, operation: "a", place: "b", cause: "c")
        #expect(throws: own) { try SQLiteFailure(operation: "x", place: "y").translating { throw own } }
    }
}
