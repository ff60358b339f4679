import Foundation
import Pruning
import SQLite
import TerminalText
import TestSupport
import Testing

@testable import SQLitePruning

/// Who may prune a store that belongs to somebody else.
struct SharingTests {
    private func facts(_ app: TemporaryStore) throws -> (file: FileFacts, directory: FileFacts) {
        try (#require(FileFacts(at: app.path)), #require(FileFacts(at: app.directory.path)))
    }

    private func sharing(
        user: uid_t, file: mode_t = 0o100_660, directory: mode_t = 0o042_770, directoryGroup: gid_t = 50
    ) throws -> Sharing {
        var (fileFacts, directoryFacts) = try facts(TemporaryStore("CREATE TABLE t (at);"))
        (fileFacts.owner, fileFacts.group, fileFacts.mode) = (1_000, 50, file)
        (directoryFacts.owner, directoryFacts.group, directoryFacts.mode) = (1_000, directoryGroup, directory)
        return Sharing(file: fileFacts, directory: directoryFacts, user: user, path: "/x")
    }

    @Test("the owner and root need no sharing", arguments: [0, 1_000] as [uid_t])
    func owner(user: uid_t) throws {
        try sharing(user: user, file: 0o100_600, directory: 0o040_700).check()
    }

    @Test("another user may prune what is shared by a group")
    func shared() throws {
        try sharing(user: 1_001).check()
    }

    @Test(
        "another user is refused where the owner could not use what that user makes",
        arguments: [
            (0o100_640, 0o042_770, 50), (0o100_606, 0o042_770, 50), (0o100_660, 0o040_770, 50),
            (0o100_660, 0o042_750, 50), (0o100_660, 0o042_707, 50), (0o100_660, 0o042_770, 51),
            (0o100_666, 0o041_777, 50),
        ] as [(mode_t, mode_t, gid_t)])
    func refused(file: mode_t, directory: mode_t, group: gid_t) throws {
        let sharing = try sharing(user: 1_001, file: file, directory: directory, directoryGroup: group)
        let error = #expect(throws: StoreError.self) { try sharing.check() }
        #expect(error?.kind == .inputOutput)
        #expect(error?.cause.contains("belongs to \(Account.user(1_000)), and") == true)
        #expect(error?.hint?.contains("2770") == true)
    }

    @Test(
        "what a run by root leaves in mid-run belongs to the store's owner",
        .enabled(if: geteuid() == 0, "needs root"))
    func root() throws {
        let app = try TemporaryStore(
            "PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER); INSERT INTO t VALUES (1, \(old));"
        )
        try #require(chown(app.path, 65_534, 65_534) == 0)
        try #require(chmod(app.path, 0o640) == 0)
        let claim = try app.store.claim(freeControl())
        let worker = try app.store.openWorker(freeControl())
        _ = try worker.begin(PruneTask(.old(), start: runStart, in: .gmt), accessPath: nil)
        _ = try worker.deleteBatch(rows: 10)
        #expect(try app.directory.entries.count == 4)
        for name in try app.directory.entries {
            let facts = try #require(FileFacts(at: app.directory.path + "/" + name))
            #expect(facts.owner == 65_534 && facts.group == 65_534, "\(name)")
        }
        worker.close()
        claim.release()
        #expect(try app.directory.entries == ["app.sqlite"])
    }
}
