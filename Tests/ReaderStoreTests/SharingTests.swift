import Foundation
import ReaderStore
import TestSupport
import Testing

/// Who may use the files of a store.
@Suite struct SharingTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test(
        "in a setgid directory the group shares the store, whatever the umask",
        arguments: ["077", "022", "000"])
    func setgidDirectoryIsShared(umask: String) throws {
        try directory.set(mode: 0o2770)
        #expect(try sample(umask: umask).status == 0)
        let store = try ReaderStore.open(at: directory.defaultStore)
        try store.write { try $0.execute(sql: "DELETE FROM item") }
        for suffix in ["", "-wal", "-shm"] {
            #expect(mode(of: directory.defaultStore + suffix) == 0o660, "reader.sqlite\(suffix)")
        }
    }

    @Test("elsewhere it is its owner's alone", arguments: ["077", "022", "000"])
    func ordinaryDirectoryIsPrivate(umask: String) throws {
        #expect(try sample(umask: umask).status == 0)
        #expect(mode(of: directory.defaultStore) == 0o600)
    }

    @Test("an empty file gets the mode that its creator did not live to give it")
    func emptyFileIsShared() throws {
        try directory.set(mode: 0o2770)
        #expect(FileManager.default.createFile(atPath: directory.store, contents: nil))
        #expect(chmod(directory.store, 0o600) == 0)
        try ReaderStore.createIfMissing(at: directory.store)
        #expect(mode(of: directory.store) == 0o660)
    }

    @Test("a store with content keeps the mode that somebody gave it")
    func chosenModeIsKept() throws {
        try directory.set(mode: 0o2770)
        try ReaderStore.createIfMissing(at: directory.store)
        #expect(chmod(directory.store, 0o640) == 0)
        try ReaderStore.createIfMissing(at: directory.store)
        #expect(mode(of: directory.store) == 0o640)
    }

    @Test(
        "what root makes belongs to the directory's owner",
        .enabled(if: geteuid() == 0, "only root can give files away"))
    func rootGivesTheStoreAway() throws {
        try directory.set(owner: 4_711, group: 4_712, mode: 0o700)
        let store = try ReaderStore.open(at: directory.store)
        try store.write { try $0.execute(sql: "DELETE FROM item") }
        for suffix in ["", "-wal", "-shm"] {
            let file = try #require(status(of: directory.store + suffix))
            #expect(file.st_uid == 4_711 && file.st_gid == 4_712, "reader.sqlite\(suffix)")
        }
    }

    @Test(
        "two users of a group create it at the same time, and both can use it",
        .enabled(if: geteuid() == 0, "only root can run programs as others"), arguments: 1...10)
    func twoUsersCreateAtOnce(round: Int) throws {
        try directory.set(owner: 4_711, group: 4_712, mode: 0o2770)
        let programs = try programDirectory()
        let processes = try ["4711", "4713"].map { user in
            try sample(asUser: user, program: programs.path + "/reader")
        }
        let results = try processes.map { try $0.wait() }
        #expect(
            results.map(\.status).sorted() == [0, 1],
            "one fills it, the other finds it filled: \(results.map(\.errors))")
        #expect(results.contains { $0.errors.contains("has rows already") })
    }

    @Test(
        "an empty file that its creator has not shared yet is waited for, and then reported with what to do",
        .enabled(if: geteuid() == 0, "only root can run programs as others"))
    func unsharedFileIsWaitedFor() throws {
        try directory.set(owner: 4_711, group: 4_712, mode: 0o2770)
        #expect(FileManager.default.createFile(atPath: directory.store, contents: nil))
        #expect(chmod(directory.store, 0o600) == 0)
        let programs = try programDirectory()
        var result: EndedProgram?
        let waited = try ContinuousClock().measure {
            result = try sample(asUser: "4713", program: programs.path + "/reader").wait()
        }
        #expect(waited >= .seconds(1))
        #expect(result?.status == 74)
        #expect(result?.errors.contains("directory mode 2770, database mode 0660") == true)
    }

    /// A directory with the program in it that any user can reach; the build directory may be closed to others.
    private func programDirectory() throws -> TemporaryDirectory {
        let programs = try TemporaryDirectory()
        try programs.set(mode: 0o755)
        // By another process: a descriptor that is open for writing here would be inherited by programs that other
        // tests start just then, and a file that is open for writing cannot be run.
        try Program(["cp", Program.reader.path, programs.path]).answer()
        return programs
    }

    private func sample(asUser user: String, program: String) throws -> RunningProgram {
        try Program.sample(
            ["--state-dir", directory.path, "--records", "10"], path: program, umask: "077",
            prefix: ["setpriv", "--reuid", user, "--regid", "4712", "--clear-groups"]
        ).start()
    }

    private func sample(umask: String) throws -> EndedProgram {
        try Program.sample(["--state-dir", directory.path, "--records", "10"], umask: umask).run()
    }
}
