import Glibc
import TerminalText

/// A directory below a state directory, for pruned's own records and for archives.
///
/// The group of the state directory can read that. This one only the owner of the state directory can use. A directory or
/// file that somebody else put in its place is not opened.
package struct PrivateDirectory: Sendable {
    package let stateDirectory: String
    /// The names of the directories on the way, this one's last.
    private let names: [String]

    /// The directory of pruned's records.
    package static func ledger(in stateDirectory: String) -> PrivateDirectory {
        PrivateDirectory(stateDirectory: stateDirectory, names: ["ledger"])
    }

    /// The directory of the archives.
    package static func archives(in stateDirectory: String) -> PrivateDirectory {
        PrivateDirectory(stateDirectory: stateDirectory, names: ["archive"])
    }

    /// The directory `name` in this one.
    package func directory(_ name: String) -> PrivateDirectory {
        PrivateDirectory(stateDirectory: stateDirectory, names: names + [name])
    }

    package var path: String { paths.last ?? stateDirectory }

    /// The directories below the state directory on the way to this one, which is the last.
    private var paths: [String] {
        names.indices.map { stateDirectory + "/" + names[...$0].joined(separator: "/") }
    }

    /// The file or directory at `path` is not pruned's own.
    package struct Foreign: Error {
        package let path: String
        package let cause: String

        package init(path: String, cause: String) { (self.path, self.cause) = (path, cause) }

        package init(path: String, owner: uid_t) {
            self.init(path: path, cause: "it belongs to \(Account.user(owner))")
        }
    }

    /// Why the directory or a file in it cannot be used. `code` is an `errno`.
    package struct Refused: Error {
        package let code: Int32
        package let path: String
        private var owner: uid_t?

        package init(code: Int32, path: String, owner: uid_t? = nil) {
            (self.code, self.path, self.owner) = (code, path, owner)
        }

        /// Who may use it; nil if the reason is not a missing permission.
        package var hint: String? {
            if let owner {
                return "only \(Account.user(owner)) can write to it: run as that user, or as root"
            }
            return [EACCES, EPERM].contains(code) ? "run as root, or as the directory's owner" : nil
        }
    }

    /// The owner of the state directory, who must also own this one; nil if there is no state directory.
    package var owner: uid_t? { state?.owner }

    /// The directory, for reading; nil if there is none yet. Throws ``Foreign`` or ``Refused``.
    package func find() throws -> StoreDirectory? {
        guard let state else {
            guard errno == ENOENT else { throw Refused(code: errno, path: stateDirectory) }
            return nil
        }
        guard FileFacts(at: path) != nil else {
            guard errno == ENOENT else { throw Refused(code: errno, path: stateDirectory) }
            return nil
        }
        return try open(of: state.owner)
    }

    /// The same for writing. Creates the directory if it is missing.
    package func make() throws -> StoreDirectory {
        guard let state else { throw Refused(code: errno, path: stateDirectory) }
        guard state.isDirectory else { throw Refused(code: ENOTDIR, path: stateDirectory) }
        guard state.owner == geteuid() else { throw Refused(code: EACCES, path: path, owner: state.owner) }
        for path in paths {
            guard mkdir(path, Self.mode) == 0 || errno == EEXIST else {
                throw Refused(code: errno, path: path)
            }
            Self.shut(path, toAllBut: state.owner)
        }
        return try open(of: state.owner)
    }

    /// The names of the directories in it; none if there is no such directory yet. Throws ``Foreign`` or ``Refused``.
    package func directories() throws -> [String] {
        guard let opened = try find() else { return [] }
        guard let names = opened.names() else { throw Refused(code: errno, path: path) }
        return names.filter { opened.facts($0)?.isDirectory == true }
    }

    /// Takes from a directory what others may do with it, which older versions let its group read.
    ///
    /// Somebody may have put a link in its place since it was made.
    private static func shut(_ path: String, toAllBut owner: uid_t) {
        // Where others could write, it is unknown what they put there: it is refused.
        guard let facts = FileFacts(at: path), facts.isOpenToOthers, !facts.isWritableByOthers else { return }
        let made = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard made >= 0 else { return }
        defer { close(made) }
        if FileFacts(of: made)?.owner == owner { fchmod(made, mode) }
    }

    private static let mode: mode_t = 0o700
    private static let fileMode: mode_t = 0o600

    /// Creates the empty file `name` in `opened`, this directory, if there is none. It does not open the file, because
    /// closing it would drop SQLite's locks.
    package func createFile(_ name: String, in opened: StoreDirectory) throws(Refused) {
        guard mknodat(opened.descriptor, name, S_IFREG | Self.fileMode, 0) == 0 else {
            guard errno == EEXIST else { throw Refused(code: errno, path: path + "/" + name) }
            return
        }
        fchmodat(opened.descriptor, name, Self.fileMode, AT_SYMLINK_NOFOLLOW)  // whatever the umask is
    }

    /// The directory that the state directory's path leads to.
    private var state: FileFacts? {
        var status = stat()
        guard stat(stateDirectory, &status) == 0 else { return nil }
        return FileFacts(status)
    }

    private func open(of owner: uid_t) throws -> StoreDirectory {
        for path in paths {
            guard let named = FileFacts(at: path) else { throw Refused(code: errno, path: path) }
            guard named.isDirectory else { throw Foreign(path: path, cause: "it is not a directory") }
            guard path != self.path else { break }
            guard named.owner == owner else { throw Foreign(path: path, owner: named.owner) }
            guard !named.isWritableByOthers else {
                throw Foreign(path: path, cause: "others can write to it")
            }
        }
        let opened: StoreDirectory
        do throws(PathRefusal) { opened = try StoreDirectory.open(path, of: owner) } catch {
            switch error {
            case .system(let code): throw Refused(code: code, path: path)
            case .link: throw Refused(code: ELOOP, path: path)
            case .others(let owner, let path):
                throw Refused(code: EACCES, path: path ?? self.path, owner: owner)
            }
        }
        guard let facts = FileFacts(of: opened.descriptor) else { throw Refused(code: errno, path: path) }
        guard facts.owner == owner else { throw Foreign(path: path, owner: facts.owner) }
        guard !facts.isWritableByOthers else { throw Foreign(path: path, cause: "others can write to it") }
        return opened
    }
}
