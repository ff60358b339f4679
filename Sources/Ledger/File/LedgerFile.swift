import Glibc
import SQLite

/// The ledger's file, `ledger/state.sqlite` in a state directory.
struct LedgerFile {
    static let name = "state.sqlite"
    static let journal = "-journal"

    let directory: PrivateDirectory

    var path: String { directory.path + "/" + Self.name }

    typealias Foreign = PrivateDirectory.Foreign
    typealias Refused = PrivateDirectory.Refused

    /// The ledger's directory, for reading; nil if there is no ledger yet. Throws ``PrivateDirectory/Foreign`` or
    /// ``PrivateDirectory/Refused``.
    func find() throws -> StoreDirectory? {
        guard let opened = try directory.find(), try check(in: opened) != nil else { return nil }
        guard faccessat(opened.descriptor, Self.name, R_OK, AT_EACCESS) == 0 else {
            throw Refused(code: errno, path: path)
        }
        return opened
    }

    /// The same for writing. Creates what is missing. `isNew` tells whether the file was missing.
    func make() throws -> (directory: StoreDirectory, isNew: Bool) {
        let opened = try directory.make()
        let isNew = try check(in: opened) == nil
        if isNew {
            try directory.createFile(Self.name, in: opened)
            guard try check(in: opened) != nil else { throw Refused(code: ENOENT, path: path) }
        }
        return (opened, isNew)
    }

    /// Checks the file and its journal. Nil if there is no file. After this call SQLite cannot open another file in its
    /// place.
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
                throw Foreign(path: path, owner: facts.owner)
            }
            if name == Self.name { file = facts }
        }
        if let file { opened.expect(Self.name, file.identity) }
        return file
    }

    /// Moves a damaged file away and returns its new path; nil if another process has already done so.
    func setAside(_ damaged: String, identity: FileIdentity?) throws -> String? {
        let end = damaged.lastIndex(of: "/") ?? damaged.startIndex
        let (parent, name) = (damaged[..<end], String(damaged[end...].dropFirst()))
        // Stays open: whoever shares the state directory could put a link to another one in its place.
        guard let opened = try? StoreDirectory.open(parent + "/", of: directory.owner),
            let facts = opened.facts(name), identity == nil || facts.identity == identity
        else { return nil }
        // The name has a number instead of a time. The file's own times tell when it was damaged, and a clock may be
        // wrong.
        var target = name + ".damaged-1"
        for number in 2..<100 where opened.facts(target) != nil { target = "\(name).damaged-\(number)" }
        let place = opened.descriptor
        guard renameat(place, name, place, target) == 0 else { throw Refused(code: errno, path: damaged) }
        renameat(place, name + Self.journal, place, target + Self.journal)
        return parent + "/" + target
    }
}

/// The state files of versions that had no ledger. Nothing reads them, and nothing removes them.
enum OldStateFiles {
    private static let all = [
        "last-runs.json", "holds.json", "clock.json", "metrics.json", "history.jsonl", "history.1.jsonl",
        "service.json", "reload.json", "archive.sqlite",
    ]

    /// The files that exist in a directory.
    static func names(in directory: String) -> [String] {
        all.filter { FileFacts(at: directory + "/" + $0) != nil }
    }
}
