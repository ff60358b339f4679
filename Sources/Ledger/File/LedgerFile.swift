import FoundationEssentials
import Glibc
import Pruning
import SQLite

/// The ledger's file, `ledger/state.sqlite` in a state directory, and who may use it.
///
/// The state directory is shared with the app. The ledger's own directory is not: only the owner of the state directory can
/// write to it, and its group can read. What somebody else put there is not opened.
struct LedgerFile {
    let stateDirectory: String

    static let directoryName = "ledger"
    static let name = "state.sqlite"

    var directory: String { stateDirectory + "/" + Self.directoryName }
    var path: String { directory + "/" + Self.name }

    /// Why what stands there is not the ledger.
    struct Foreign: Error {
        /// What is to be moved away.
        let path: String
        let cause: String
    }

    /// Why it cannot be used, in `errno`.
    struct Refused: Error {
        let code: Int32
        let path: String
        var owner: uid_t?
    }

    /// Where the file is, for reading; nil when there is none yet. Throws ``Foreign`` or ``Refused``.
    func find() throws -> StoreDirectory? {
        guard let state = FileFacts(following: stateDirectory) else {
            guard errno == ENOENT else { throw Refused(code: errno, path: stateDirectory) }
            return nil
        }
        guard FileFacts(at: directory) != nil else {
            guard errno == ENOENT else { throw Refused(code: errno, path: stateDirectory) }
            return nil
        }
        let opened = try open(of: state.owner)
        guard try check(in: opened, of: state.owner) != nil else { return nil }
        guard faccessat(opened.descriptor, Self.name, R_OK, AT_EACCESS) == 0 else {
            throw Refused(code: errno, path: path)
        }
        return opened
    }

    /// The same for writing; makes what is missing. `isNew` tells whether the file was.
    func make() throws -> (directory: StoreDirectory, isNew: Bool) {
        guard let state = FileFacts(following: stateDirectory) else {
            throw Refused(code: errno, path: stateDirectory)
        }
        guard state.isDirectory else { throw Refused(code: ENOTDIR, path: stateDirectory) }
        guard state.owner == geteuid() else {
            throw Refused(code: EACCES, path: directory, owner: state.owner)
        }
        if mkdir(directory, Self.directoryMode) == 0 {
            // Whatever the umask. The group is that of the state directory where that says so.
            chmod(directory, Self.directoryMode | (state.isSetGroupID ? S_ISGID : 0))
        } else if errno != EEXIST {
            throw Refused(code: errno, path: directory)
        }
        let opened = try open(of: state.owner)
        let isNew = try check(in: opened, of: state.owner) == nil
        if isNew {
            try createFile(in: opened)
            guard try check(in: opened, of: state.owner) != nil else {
                throw Refused(code: ENOENT, path: path)
            }
        }
        return (opened, isNew)
    }

    /// Whether this process is of the user who may write to it; nil where there is no state directory.
    var isOwn: Bool? { FileFacts(following: stateDirectory).map { $0.owner == geteuid() } }

    private static let directoryMode: mode_t = 0o750
    private static let fileMode: mode_t = 0o640

    private func open(of owner: uid_t) throws -> StoreDirectory {
        guard let named = FileFacts(at: directory) else { throw Refused(code: errno, path: directory) }
        guard named.isDirectory else { throw Foreign(path: directory, cause: "it is not a directory") }
        let opened: StoreDirectory
        do throws(PathRefusal) { opened = try StoreDirectory.open(directory, of: owner) } catch {
            switch error {
            case .system(let code): throw Refused(code: code, path: directory)
            case .link: throw Refused(code: ELOOP, path: directory)
            case .others(let owner, let path):
                throw Refused(code: EACCES, path: path ?? directory, owner: owner)
            }
        }
        guard let facts = FileFacts(of: opened.descriptor) else {
            throw Refused(code: errno, path: directory)
        }
        guard facts.owner == owner else {
            throw Foreign(path: directory, cause: "it belongs to \(Account.user(facts.owner))")
        }
        guard !facts.isWritableByOthers else {
            throw Foreign(path: directory, cause: "others can write to it")
        }
        return opened
    }

    /// The file as it stands there; nil when there is none. From then on SQLite opens no other in its place.
    private func check(in opened: StoreDirectory, of owner: uid_t) throws -> FileFacts? {
        var file: FileFacts?
        for name in [Self.name, Self.name + Self.journal] {
            guard let facts = opened.facts(name) else {
                guard errno == ENOENT else { throw Refused(code: errno, path: directory + "/" + name) }
                continue
            }
            let path = directory + "/" + name
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

    static let journal = "-journal"

    /// An empty one, without opening it: closing it would drop SQLite's locks.
    private func createFile(in directory: StoreDirectory) throws {
        guard mknodat(directory.descriptor, Self.name, S_IFREG | Self.fileMode, 0) == 0 || errno == EEXIST
        else { throw Refused(code: errno, path: path) }
        fchmodat(directory.descriptor, Self.name, Self.fileMode, 0)  // whatever the umask
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

extension FileFacts {
    /// What a path leads to.
    fileprivate init?(following path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}

/// What a version before the ledger kept in files of its own: nothing reads them, and nothing removes them.
enum OldStateFiles {
    private static let all = [
        "last-runs.json", "holds.json", "clock.json", "metrics.json", "history.jsonl", "history.1.jsonl",
        "service.json", "reload.json",
    ]

    /// Those that lie in a directory.
    static func names(in directory: String) -> [String] {
        all.filter { FileFacts(at: directory + "/" + $0) != nil }
    }
}
