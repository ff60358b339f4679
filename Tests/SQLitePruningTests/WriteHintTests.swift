import Foundation
import Pruning
import SQLite
import TestSupport
import Testing

@testable import SQLitePruning

/// What helps a user who may read a store, and not write to it.
@Suite(.enabled(if: geteuid() == 0, "needs root")) struct WriteHintTests {
    private func hint(
        _ code: Int32, group: gid_t = 4_713, file: mode_t = 0o640, directory: mode_t = 0o2750,
        member: gid_t = 4_713
    ) throws -> String {
        let app = try TemporaryStore("CREATE TABLE t (at);")
        let store = try StoreFile(path: app.path)
        for (path, mode) in [(app.path, file), (app.directory.path, directory)] {
            try #require(chown(path, 1_000, path == app.path ? group : 4_713) == 0 && chmod(path, mode) == 0)
        }
        let facts = try #require(FileFacts(at: app.path))
        return WriteHint(
            path: app.path, directory: store.directory, name: store.name, facts: facts, groups: [member]
        )
        .text(for: code)
        .replacing(app.path, with: "FILE").replacing(app.directory.path, with: "DIR")
    }

    @Test("a member of the group needs its modes")
    func modes() throws {
        let both = "`chmod 2770 DIR`, `chmod 0660 FILE`"
        #expect(try hint(EACCES).hasSuffix("write: " + both))
        #expect(try hint(EACCES, directory: 0o2770).hasSuffix("write: `chmod 0660 FILE`"))
        let other = try hint(EACCES, group: 4_714, directory: 0o2770)
        #expect(other.contains(/`chgrp \S+ FILE`, `chmod 0660 FILE`$/), "\(other)")
    }

    @Test("others need the group, or to be the owner")
    func others() throws {
        let hint = try hint(EACCES, member: 4_715)
        #expect(hint.contains("its owner") && hint.contains("as a member of its group"), "\(hint)")
    }

    @Test("a file system that is read-only may be the sandbox's, which no mode opens")
    func sandbox() throws {
        let hint = try hint(EROFS)
        #expect(hint.contains("ReadWritePaths=") && !hint.contains("chmod"), "\(hint)")
    }
}
