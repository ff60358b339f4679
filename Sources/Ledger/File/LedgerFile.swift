import FoundationEssentials
import Glibc
import Pruning
import SQLite

/// The ledger's file, `ledger/state.sqlite` in a state directory.
struct LedgerFile {
    static let name = "state.sqlite"
    static let journal = "-journal"

    let directory: LedgerDirectory

    var path: String { directory.path + "/" + Self.name }

    typealias Refused = LedgerDirectory.Refused

    /// Why what stands there is not the ledger.
    struct Foreign: Error {
        let path: String
        let cause: String
    }

    /// Its directory, for reading; nil when there is no ledger yet. Throws ``Foreign``, ``LedgerDirectory/Foreign`` or
    /// ``Refused``.
    func find() throws -> StoreDirectory? {
        guard let opened = try directory.find(), try check(in: opened) != nil else { return nil }
        guard faccessat(opened.descriptor, Self.name, R_OK, AT_EACCESS) == 0 else {
            throw Refused(code: errno, path: path)
        }
        return opened
    }

    /// The same for writing; makes what is missing. `isNew` tells whether the file was.
    func make() throws -> (directory: StoreDirectory, isNew: Bool) {
        let opened = try directory.make()
        let isNew = try check(in: opened) == nil
        if isNew {
            try createFile(in: opened)
            guard try check(in: opened) != nil else { throw Refused(code: ENOENT, path: path) }
        }
        return (opened, isNew)
    }

    private static let mode: mode_t = 0o640

    /// The file as it stands there; nil when there is none. From then on SQLite opens no other in its place.
    private func check(in opened: StoreDirectory) throws -> FileFacts? {
        let owner = FileFacts(of: opened.descriptor)?.owner
        var file: FileFacts?
        for name in [Self.name, Self.name + Self.journal] {
            guard let facts = opened.facts(name) else {
                guard errno == ENOENT else { throw Refused(code: errno, path: directory.path + "/" + name) }
                continue
            }
            let path = directory.path + "/" + name
            guard facts.isRegular, facts.links <= 1 else {
                throw Foreign(path: path, cause: "it is not a regular file with one name")
            }
            guard facts.owner == owner else {
                throw Foreign(path: path, cause: "it belongs to \(Account.user(facts.owner))")
            }
            if name == Self.name { file = facts }
        }
        if let file { opened.expect(Self.name, file.identity) }
        return file
    }

    /// An empty one, without opening it: closing it would drop SQLite's locks.
    private func createFile(in directory: StoreDirectory) throws {
        guard mknodat(directory.descriptor, Self.name, S_IFREG | Self.mode, 0) == 0 || errno == EEXIST
        else { throw Refused(code: errno, path: path) }
        fchmodat(directory.descriptor, Self.name, Self.mode, 0)  // whatever the umask
    }

    /// Moves what is damaged out of the way, and returns its new path; nil when somebody else did that before.
    func setAside(_ damaged: String, identity: FileIdentity?) throws -> String? {
        guard let facts = FileFacts(at: damaged), identity == nil || facts.identity == identity else {
            return nil
        }
        // By number: when that was, the file's own times tell, and a clock may lie.
        var target = damaged + ".damaged-1"
        for number in 2..<100 where FileFacts(at: target) != nil { target = "\(damaged).damaged-\(number)" }
        guard rename(damaged, target) == 0 else { throw Refused(code: errno, path: damaged) }
        rename(damaged + Self.journal, target + Self.journal)
        return target
    }
}

/// What a version before the ledger kept in files of its own: nothing reads them, and nothing removes them.
enum OldStateFiles {
    private static let all = [
        "last-runs.json", "holds.json", "clock.json", "metrics.json", "history.jsonl", "history.1.jsonl",
        "service.json", "reload.json", "archive.sqlite",
    ]

    /// Those that lie in a directory.
    static func names(in directory: String) -> [String] {
        all.filter { FileFacts(at: directory + "/" + $0) != nil }
    }
}
