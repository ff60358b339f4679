import Foundation
import GRDB
import ReaderStore
import TestSupport
import Testing

@Suite struct CreationTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("creating again changes nothing")
    func creatingAgainChangesNothing() throws {
        try ReaderStore.createIfMissing(at: directory.store)
        let store = try ReaderStore.open(at: directory.store)
        try store.write { try $0.execute(sql: "INSERT INTO item VALUES (1, 1700000000)") }
        try store.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: directory.store))
        try ReaderStore.createIfMissing(at: directory.store)
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.store)) == before)
    }

    @Test("nothing but the database is left behind")
    func nothingIsLeftBehind() throws {
        try ReaderStore.createIfMissing(at: directory.store)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["reader.sqlite"])
    }

    @Test("a relative state directory is one from the current directory")
    func relativeDirectory() throws {
        let current = FileManager.default.currentDirectoryPath
        let up = String(repeating: "../", count: current.split(separator: "/").count)
        let store = try ReaderStore(stateDirectory: up + directory.path.dropFirst() + "/state")
        _ = try store.viewContext.read { try $0.items() }
        #expect(FileManager.default.fileExists(atPath: directory.path + "/state/shared/reader.sqlite"))
    }

    @Test("a path with a NUL in it is refused, and nothing is made where it would end")
    func pathWithNUL() throws {
        let path = directory.path + "/a\0b"
        for body in [{ try ReaderStore(stateDirectory: path) }, { try ReaderStore(at: path) }] {
            let error = #expect(throws: ReaderStoreError.self) { try body() }
            #expect(error?.kind == .inputOutput)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test("threads that create it at the same time all succeed", arguments: 1...20)
    func threadsCreateAtOnce(round: Int) throws {
        let path = directory.store
        let outcomes = Outcomes()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            outcomes.add(Result { try ReaderStore.createIfMissing(at: path) })
        }
        for outcome in outcomes.all { try outcome.get() }
        try expectStore()
    }

    @Test("processes that create it at the same time all succeed", arguments: 1...5)
    func processesCreateAtOnce(round: Int) throws {
        let processes = try (1...4).map { _ in
            try Program.sample(["--state-dir", directory.path, "--records", "10"]).start()
        }
        let statuses = try processes.map { try $0.wait().status }.sorted()
        #expect(statuses == [0, 1, 1, 1], "one fills it, the others find it filled")
        try expectStore(at: directory.defaultStore)
    }

    @Test(
        "an empty database is completed, whatever was done to it",
        arguments: [
            "", "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL", "PRAGMA journal_mode = WAL",
            "CREATE TABLE t (a); DROP TABLE t", "PRAGMA journal_mode = WAL; CREATE TABLE t (a); DROP TABLE t",
        ])
    func emptyDatabaseIsCompleted(sql: String) throws {
        let interrupted = try DatabaseQueue(path: directory.store)
        try interrupted.writeWithoutTransaction { try $0.execute(sql: sql) }
        try interrupted.close()
        try ReaderStore.createIfMissing(at: directory.store)
        try expectStore()
    }

    @Test("a database whose log alone has content is completed while another connection holds it")
    func openEmptyDatabaseIsCompleted() throws {
        let other = try DatabaseQueue(path: directory.store)
        try other.writeWithoutTransaction {
            try $0.execute(
                sql:
                    "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; CREATE TABLE t (a); DROP TABLE t"
            )
        }
        try ReaderStore.createIfMissing(at: directory.store)
        try expectStore()
        #expect(try other.read { try $0.tableExists("read_record") })
    }

    @Test(
        "a database of another program is left as it is",
        arguments: [
            "CREATE TABLE t (a)", "PRAGMA application_id = 7", "PRAGMA user_version = 3",
            "PRAGMA application_id = \(ReaderSchema.applicationID)",
        ])
    func foreignDatabaseIsLeftAlone(sql: String) throws {
        try make(sql)
        let before = try Data(contentsOf: URL(fileURLWithPath: directory.store))
        #expect(throws: ReaderStoreError.self) { try ReaderStore.createIfMissing(at: directory.store) }
        #expect(kindOfFailure() == .foreign)
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.store)) == before)
    }

    @Test("a store of an older version is brought to this one, rows and all, by whoever opens it first")
    func olderStoreIsMigrated() throws {
        try ReaderStore.createIfMissing(at: directory.store)
        try make(
            """
            INSERT INTO feed VALUES (7, 1700000000, 1700001800); INSERT INTO article VALUES (7, 0, 'a', 'u');
            DROP TABLE feed_source; PRAGMA user_version = 1
            """)
        let path = directory.store
        let outcomes = Outcomes()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            outcomes.add(
                Result {
                    try ReaderStore(at: path).viewContext.write { try $0.setAddress("x", ofTab: 9) }
                })
        }
        for outcome in outcomes.all { try outcome.get() }
        let store = try ReaderStore(at: path)
        #expect(try store.viewContext.read { try $0.feed(ofTab: 7)?.articles.count } == 1)
        try expectStore()
    }

    @Test(
        "what a store of this version lacks is added by whoever opens it first, and older programs know its version",
        arguments: [
            "DROP INDEX tweet_user", "ALTER TABLE tweet DROP COLUMN starred",
            "DROP INDEX tweet_user; ALTER TABLE tweet DROP COLUMN starred",
        ])
    func additions(missing: String) throws {
        try ReaderStore.createIfMissing(at: directory.store)
        try make(
            """
            INSERT INTO user VALUES (1, 'Ann', 'ann', 'p');
            INSERT INTO tweet (id, created_at, text, user_id) VALUES (7, 1700000000, 'text', 1);
            \(missing)
            """)
        let path = directory.store
        let outcomes = Outcomes()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            outcomes.add(Result { try ReaderStore(at: path).viewContext.write { try $0.star(7) } })
        }
        for outcome in outcomes.all { try outcome.get() }
        try expectStore()
        let store = try ReaderStore.open(at: path)
        let facts = try store.read { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT user_version || ' ' || (SELECT count(*) FROM sqlite_schema WHERE name = 'tweet_user')
                        || ' ' || (SELECT group_concat(id || starred) FROM tweet) FROM pragma_user_version
                    """)
        }
        #expect(facts == "2 1 71")
    }

    @Test("a newer store is left as it is, and its version named")
    func newerStoreIsLeftAlone() throws {
        try ReaderStore.createIfMissing(at: directory.store)
        try make("PRAGMA user_version = 3")
        let error = #expect(throws: ReaderStoreError.self) {
            try ReaderStore.createIfMissing(at: directory.store)
        }
        #expect(error?.kind == .newer)
        #expect(error?.cause == "its version is 3, and this program knows version 2")
    }

    @Test("what is no database is damaged")
    func noDatabaseIsDamaged() throws {
        try Data(repeating: 0x41, count: 8_192).write(to: URL(fileURLWithPath: directory.store))
        #expect(kindOfFailure() == .damaged)
    }

    @Test("a link is refused, and what it leads to left alone", arguments: [true, false])
    func linkIsRefused(isSymbolic: Bool) throws {
        let target = directory.path + "/target"
        #expect(FileManager.default.createFile(atPath: target, contents: nil))
        #expect((isSymbolic ? symlink(target, directory.store) : link(target, directory.store)) == 0)
        #expect(kindOfFailure() == .foreign)
        #expect(status(of: target)?.st_size == 0)
    }

    @Test(
        "a missing directory and a relative path are errors",
        arguments: ["/proc/none/reader.sqlite", "r.sqlite"])
    func impossiblePlace(path: String) {
        let error = #expect(throws: ReaderStoreError.self) { try ReaderStore.createIfMissing(at: path) }
        #expect(error?.kind == .inputOutput)
    }

    @Test("a writer is waited for, as long as the library is patient, and then reported")
    func writerIsWaitedFor() throws {
        let other = try DatabaseQueue(path: directory.store)
        try other.inDatabase { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            let waited = ContinuousClock().measure { #expect(kindOfFailure() == .busy) }
            #expect(waited >= ReaderStore.patience)
            try db.execute(sql: "ROLLBACK")
        }
        try ReaderStore.createIfMissing(at: directory.store)
        try expectStore()
    }

    @Test(
        "what SQLite reports keeps its kind",
        arguments: [
            (ResultCode.SQLITE_BUSY, ReaderStoreError.Kind.busy), (.SQLITE_NOTADB, .damaged),
            (.SQLITE_CORRUPT, .damaged), (.SQLITE_FULL, .inputOutput), (.SQLITE_IOERR, .inputOutput),
            (.SQLITE_READONLY, .inputOutput),
        ])
    func sqliteErrorKeepsItsKind(code: ResultCode, kind: ReaderStoreError.Kind) {
        let error = ReaderStoreError.database(
            "try", path: "/p", DatabaseError(resultCode: code, message: "m"))
        #expect(error.kind == kind)
        #expect(error.description == "cannot try /p: m (\(error.hint))")
    }

    /// Runs SQL on the database as another program would.
    private func make(_ sql: String) throws {
        let other = try DatabaseQueue(path: directory.store)
        try other.writeWithoutTransaction { try $0.execute(sql: sql) }
        try other.close()
    }

    private func kindOfFailure() -> ReaderStoreError.Kind? {
        do {
            try ReaderStore.createIfMissing(at: directory.store)
            return nil
        } catch {
            return error.kind
        }
    }

    private func expectStore(at path: String? = nil) throws {
        let store = try DatabaseQueue(path: path ?? directory.store)
        let facts = try store.read { db in
            try ["integrity_check", "journal_mode", "auto_vacuum", "application_id", "user_version"].map {
                try String.fetchOne(db, sql: "PRAGMA \($0)") ?? ""
            }
        }
        #expect(facts == ["ok", "wal", "2", String(ReaderSchema.applicationID), "2"])
        #expect(try store.read { try $0.tableExists("item") })
    }
}
