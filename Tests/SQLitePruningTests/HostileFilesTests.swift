import CSQLite
import Foundation
import Pruning
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import SQLitePruning

/// Whoever owns a store, or its directory, cannot lead a run to files of others.
struct HostileFilesTests {
    private static let content = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER);
        INSERT INTO t VALUES (1, \(old)), (2, \(fresh));
        """
    private static let companions = ["-wal", "-shm", "-journal"]

    private func refusals(of app: TemporaryStore) -> [StoreError?] {
        let ways: [() throws -> Void] = [
            { try app.store.checkAccess() }, { try app.store.openView(freeControl()).close() },
            { try app.store.openWorker(freeControl()).close() },
            { try app.store.claim(freeControl()).release() },
        ]
        return ways.map { way in #expect(throws: StoreError.self) { try way() } }
    }

    /// A journal that would be rolled back, of no page, and then have SQLite delete its super-journal.
    private func journal(of app: TemporaryStore, naming superJournal: String) throws -> Data {
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        let pages = try app.integers("PRAGMA page_count")[0]
        var bytes = magic + number(0) + number(1) + number(Int(pages)) + number(512) + number(4_096)
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
        let name = Array(superJournal.utf8)
        bytes += number(0x4000_0000 / 4_096 + 1) + name + number(name.count)
        bytes += number(name.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }) + magic
        return Data(bytes)
    }

    @Test(
        "a journal that names a super-journal is refused, and what it names stays, wherever that is",
        arguments: ["DELETE", "WAL"], [true, false])
    func superJournal(mode: String, isElsewhere: Bool) throws {
        let app = try TemporaryStore("PRAGMA journal_mode = \(mode);" + Self.content)
        let others = try TemporaryDirectory()
        let victim = (isElsewhere ? others : app.directory).path + "/victim"
        try "precious".write(toFile: victim, atomically: false, encoding: .utf8)
        let journal = try journal(of: app, naming: victim)
        try journal.write(to: URL(filePath: app.path + "-journal"))

        let report = app.outcome()
        #expect(report.outcome == .failed && report.failure?.kind == .fault(.inputOutput))
        #expect(report.failure?.cause.contains("names another file") == true, "\(report)")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        #expect(try Data(contentsOf: URL(filePath: app.path + "-journal")) == journal)
        #expect(app.outcome(dryRun: true).outcome != .done)
        #expect(FileManager.default.fileExists(atPath: victim))
    }

    @Test("a transaction over several databases is left to its app, which then rolls all of it back")
    func severalDatabases() throws {
        let (app, second) = try (TemporaryStore(Self.content), TemporaryStore(Self.content))
        let superJournal = second.path + "-mj01234567" + "9AB"
        let journals = [app, second].map { $0.path + "-journal" }
        try Data(journals.flatMap { Array($0.utf8) + [0] }).write(to: URL(filePath: superJournal))
        for (store, path) in zip([app, second], journals) {
            try journal(of: store, naming: superJournal).write(to: URL(filePath: path))
        }
        #expect(app.outcome().failure?.kind == .fault(.inputOutput))
        for path in journals + [superJournal] { #expect(FileManager.default.fileExists(atPath: path)) }
    }

    @Test(
        "a pipe or a device in the place of a file of SQLite's is refused, and keeps nobody waiting",
        arguments: companions)
    func pipe(companion: String) throws {
        for mode in ["DELETE", "WAL"] {
            let app = try TemporaryStore("PRAGMA journal_mode = \(mode);" + Self.content)
            try #require(mkfifo(app.path + companion, 0o600) == 0)
            for error in refusals(of: app) {
                #expect(error?.kind == .inputOutput)
                #expect(error?.cause.contains("\(companion) file is not a regular file") == true)
            }
        }
    }

    @Test("a pipe that comes after the look is not opened either", arguments: ["", "-wal", "-journal"])
    func latePipe(part: String) throws {
        let app = try TemporaryStore(
            "PRAGMA journal_mode = \(part == "-wal" ? "WAL" : "DELETE");" + Self.content)
        let file = try StoreFile(path: app.path)
        try file.checkWritable()
        if part.isEmpty { try FileManager.default.removeItem(atPath: app.path) }
        try #require(mkfifo(app.path + part, 0o600) == 0)
        #expect(throws: DatabaseError.self) {
            let db = try Database(
                uri: "file:" + file.pathForSQLite, in: file.directory, isReadOnly: false, busyTimeout: 0)
            _ = try db.rows("SELECT id FROM t")
        }
    }

    @Test("what is put in the place of a store after the look at it is not opened", arguments: [0, 1, 2])
    func swapped(way: Int) throws {
        let (app, victim) = try (TemporaryStore(Self.content), TemporaryStore(Self.content))
        let file = try StoreFile(path: app.path)
        try file.checkWritable()
        let manager = FileManager.default
        try manager.removeItem(atPath: app.path)
        switch way {
        case 0: try manager.createSymbolicLink(atPath: app.path, withDestinationPath: victim.path)
        case 1: try manager.moveItem(atPath: victim.path, toPath: app.path)
        default: try manager.linkItem(atPath: victim.path, toPath: app.path)
        }
        let error = #expect(throws: DatabaseError.self) {
            _ = try Database(
                uri: "file:" + file.pathForSQLite, in: file.directory, isReadOnly: false, busyTimeout: 0
            ).schemaVersion()
        }
        #expect(error.map { $0.code & 0xFF } == SQLITE_CANTOPEN)
    }

    @Test(
        "a descriptor that SQLite has kept of another store is not taken for that of the one that was looked at"
    )
    func keptDescriptor() throws {
        let (app, victim) = try (TemporaryStore(Self.content), TemporaryStore(Self.content))
        let holder = try Connection(.write, path: victim.path, control: freeControl())
        defer { holder.close() }
        try holder.database.execute("BEGIN IMMEDIATE")
        // Closed while this process has locks on the file: its descriptor is kept for whoever opens the file next.
        let second = try Connection(.write, path: victim.path, control: freeControl())
        _ = try second.database.rows("SELECT id FROM t")
        second.close()
        let file = try StoreFile(path: app.path)
        try file.checkWritable()
        try #require(rename(victim.path, app.path) == 0)
        #expect(throws: DatabaseError.self) {
            let db = try Database(
                uri: "file:" + file.pathForSQLite, in: file.directory, isReadOnly: false, busyTimeout: 0)
            _ = try db.rows("SELECT id FROM t")
        }
    }

    @Test("a directory that is moved away after the look stays the one that is worked in")
    func movedDirectory() throws {
        let (app, victim) = try (TemporaryStore(Self.content), TemporaryStore(Self.content))
        let connection = try Connection(.write, path: app.path, control: freeControl())
        defer { connection.close() }
        let manager = FileManager.default
        let moved = app.directory.path + "-moved"
        try manager.moveItem(atPath: app.directory.path, toPath: moved)
        defer { try? manager.removeItem(atPath: moved) }
        try manager.createSymbolicLink(
            atPath: app.directory.path, withDestinationPath: victim.directory.path)
        try connection.database.execute("DELETE FROM t WHERE id = 1")
        #expect(try victim.integers("SELECT count(*) FROM t") == [2])
        #expect(try victim.directory.entries == ["app.sqlite"])
    }

    @Test(
        "a file of SQLite's with a second name is refused, and no lock of this process is lost by that",
        arguments: companions)
    func hardLink(companion: String) throws {
        let (app, victim) = try (TemporaryStore(Self.content), TemporaryStore(Self.content))
        let holder = try Connection(.write, path: victim.path, control: freeControl())
        defer { holder.close() }
        try holder.database.execute("BEGIN IMMEDIATE")
        try FileManager.default.linkItem(atPath: victim.path, toPath: app.path + companion)
        for error in refusals(of: app) {
            #expect(error?.cause.contains("\(companion) file has another name") == true)
        }
        // Nor where it came after the look.
        #expect(CheckedOpen.open(app.path + companion, in: AT_FDCWD, O_RDWR) == -1 && errno == EPERM)
        let peer = try SQLiteShell(victim.path)
        defer { peer.kill() }
        #expect(try peer.run(".timeout 0\nDELETE FROM t;").contains("locked"))
    }

    @Test(
        "a lock file that is a pipe, a link or another name of a file is refused, and that file is as it was")
    func lockFile() throws {
        let app = try TemporaryStore(Self.content)
        let lock = app.path + "-pruned-lock"
        let victim = app.directory.path + "/victim"
        try "precious".write(toFile: victim, atomically: false, encoding: .utf8)
        try #require(chmod(victim, 0o600) == 0)
        for make in [
            { mkfifo(lock, 0o600) }, { link(victim, lock) }, { symlink(victim, lock) },
        ] as [() -> Int32] {
            try #require(make() == 0)
            let error = #expect(throws: StoreError.self) { try app.store.claim(freeControl()) }
            #expect(error?.kind == .inputOutput && error?.hint != nil)
            #expect(app.store.claimHolder() == nil)
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
            #expect(FileFacts(at: victim).map { $0.mode & 0o777 } == 0o600)
            unlink(lock)
        }
    }

    @Test(
        "a link in the path is followed only if it is root's or one's own",
        .enabled(if: geteuid() == 0, "needs root"))
    func foreignLink() throws {
        let (app, elsewhere) = try (TemporaryStore(Self.content), TemporaryDirectory())
        let link = elsewhere.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: app.directory.path)
        let store = SQLiteStore.test(at: link + "/app.sqlite")
        try store.checkAccess()
        try #require(lchown(link, 4_711, 4_711) == 0)
        let error = #expect(throws: StoreError.self) { try store.checkAccess() }
        #expect(error?.cause.contains("symbolic link of user 4711") == true)
    }

    @Test(
        "root prunes nothing in a directory, or below one, that others can write to",
        .enabled(if: geteuid() == 0, "needs root"), arguments: [0o777, 0o775, 0o755] as [mode_t])
    func directoryOfOthers(mode: mode_t) throws {
        let outer = try TemporaryDirectory()
        let inner = outer.path + "/inner"
        try #require(mkdir(inner, 0o700) == 0)
        let app = try TemporaryStore(Self.content)
        try FileManager.default.moveItem(atPath: app.path, toPath: inner + "/app.sqlite")
        let store = SQLiteStore.test(at: inner + "/app.sqlite")
        try store.checkAccess()
        for directory in [inner, outer.path] {
            try #require(chmod(directory, mode) == 0)
            if mode == 0o755 { try #require(chown(directory, 4_711, 0) == 0) }
            for look in [
                { try store.checkAccess() }, { try store.openView(freeControl()).close() },
            ] as [() throws -> Void] {
                let error = #expect(throws: StoreError.self) { try look() }
                #expect(
                    error?.cause.contains("can write to /") == true, "\(String(describing: error))"
                )
                #expect(error?.kind == .inputOutput)
            }
            try #require(chmod(directory, 0o700) == 0 && chown(directory, 0, 0) == 0)
        }
    }

    @Test("a path may begin with two slashes, and have points and slashes too many")
    func slashes() throws {
        let app = try TemporaryStore(Self.content)
        let name = (app.directory.path as NSString).lastPathComponent
        let store = SQLiteStore.test(at: "/\(app.directory.path)//./../\(name)/app.sqlite")
        #expect(PruneRun.report([.old()], on: [store]).rules[0].deleted == 1)
    }

    @Test("a store whose app keeps bytes of each page for itself is left alone")
    func reservedBytes() throws {
        let app = try TemporaryStore("")
        try app.open { db in
            var count: CInt = 8
            #expect(
                sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_RESERVE_BYTES, &count)
                    == SQLITE_OK)
            try db.execute(sql: "VACUUM;" + Self.content)
        }
        try #require(Data(contentsOf: URL(filePath: app.path))[20] == 8)
        for dryRun in [true, false] {
            let report = app.outcome(dryRun: dryRun)
            #expect(report.outcome == .failed && report.failure?.kind == .fault(.unsupported), "\(report)")
            #expect(report.failure?.cause.contains("8 bytes of each page") == true)
        }
        #expect(try app.integers("SELECT count(*) FROM t") == [2])
    }

    @Test("whoever puts links in the place of the ledger's directory changes no mode elsewhere")
    func swappedLedger() throws {
        let place = try TemporaryDirectory()
        let (state, victim) = (place.path + "/state", place.path + "/victim")
        for path in [state, victim] { #expect(mkdir(path, 0o700) == 0) }
        let ledger = PrivateDirectory.ledger(in: state)
        let stranger = Repeating {
            unlink(ledger.path)
            for _ in 0..<1000 where rmdir(ledger.path) == 0 { break }
            symlink(victim, ledger.path)
        }
        for _ in 0..<60_000 { _ = try? ledger.make() }
        stranger.end()
        #expect(FileFacts(at: victim).map { $0.mode & 0o777 } == 0o700)
    }

    @Test("a journal that the app removes and makes again while it is looked at is in nobody's way")
    func remadeJournal() throws {
        let app = try TemporaryStore("CREATE TABLE t (id INTEGER PRIMARY KEY)")
        let journal = app.path + "-journal"
        let writer = Repeating {
            let file = open(journal, O_WRONLY | O_CREAT, 0o644)
            write(file, [UInt8](repeating: 0, count: 512), 512)
            close(file)
            unlink(journal)
        }
        defer { writer.end() }
        for _ in 0..<20_000 {
            do throws(StoreError) { try StoreFile(path: app.path).checkWritable() } catch {
                #expect(error.kind == .busy, "\(error)")
            }
        }
    }
}

/// What somebody does again and again, on a thread of its own.
private final class Repeating: Sendable {
    private let isOver = Atomic(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread { [self] in
            while !isOver.load(ordering: .relaxed) { body() }
            ended.signal()
        }
    }

    /// Returns when it does nothing more.
    func end() {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
    }
}
