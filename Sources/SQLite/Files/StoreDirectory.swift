import Glibc
import Synchronization

/// The directory of a store, held open: what is looked at there, and what SQLite opens, makes and removes there, is in this
/// one directory, wherever the path leads meanwhile.
///
/// SQLite knows files by paths alone. It gets paths that begin with ``prefix``, and ``FileLayer`` looks them up here.
package final class StoreDirectory: Sendable {
    /// For looking things up in it alone.
    package let descriptor: Int32
    private let identity: FileIdentity
    private let id: Int
    /// Which files SQLite may open as databases, by their names: those that were looked at.
    private let expected = Mutex<[String: FileIdentity]>([:])

    /// Begins a path that nothing else can have.
    package static let prefix = "/proc/self/pruned-store/"

    private struct Known {
        var byID: [Int: Weak] = [:]
        var next = 1
    }

    private struct Weak {
        weak var directory: StoreDirectory?
    }

    private static let known = Mutex(Known())

    private init(_ descriptor: Int32, _ identity: FileIdentity, id: Int) {
        (self.descriptor, self.identity, self.id) = (descriptor, identity, id)
    }

    deinit {
        Self.known.withLock { $0.byID[id] = nil }
        close(descriptor)
    }

    /// The directory at `path`, an absolute one. All who use a directory at the same time have the same object: connections
    /// share an index of the log under the path of whichever came first.
    /// `owner`: the only one to whom it may belong, where the caller looks whether it does; see ``PathWalk``.
    package static func open(
        _ path: String, of owner: uid_t? = nil
    ) throws(PathRefusal) -> StoreDirectory {
        let walk = PathWalk(path: path, user: owner ?? geteuid(), leadsAnywhere: owner != nil)
        let descriptor = try walk.open()
        guard let facts = FileFacts(of: descriptor) else {
            let code = errno
            close(descriptor)
            throw .system(code)
        }
        // Whichever goes meanwhile must not go under the lock, which its end takes.
        var seen: [StoreDirectory] = []
        defer { withExtendedLifetime(seen) {} }
        return known.withLock { known in
            seen = known.byID.values.compactMap(\.directory)
            if let same = seen.first(where: { $0.identity == facts.identity }) {
                close(descriptor)
                return same
            }
            let made = StoreDirectory(descriptor, facts.identity, id: known.next)
            known.byID[known.next] = Weak(directory: made)
            known.next += 1
            return made
        }
    }

    /// What stands by `name` there; nil when there is nothing, and `errno` says why.
    package func facts(_ name: String) -> FileFacts? { FileFacts(name, in: descriptor) }

    /// What SQLite is to call the file `name` there.
    package func path(of name: String) -> String { "\(Self.prefix)\(id)/\(name)" }

    /// From now on SQLite may open `name` only if it is this file.
    package func expect(_ name: String, _ identity: FileIdentity) {
        expected.withLock { $0[name] = identity }
    }

    /// Which file `name` must be; nil where none was looked at.
    package func expected(_ name: String) -> FileIdentity? { expected.withLock { $0[name] } }

    /// Whether ``path(of:)`` has made a path.
    package static func isPath(_ path: UnsafePointer<CChar>) -> Bool {
        strncmp(path, prefix, prefix.utf8.count) == 0
    }

    /// A path that ``path(of:)`` has made; nil for any other, and once nobody has the directory open.
    package static func find(_ path: String) -> (directory: StoreDirectory, name: String)? {
        guard path.hasPrefix(prefix) else { return nil }
        let rest = path.dropFirst(prefix.count)
        let end = rest.firstIndex(of: "/") ?? rest.endIndex
        guard let id = Int(rest[..<end]),
            let directory = known.withLock({ $0.byID[id]?.directory })
        else { return nil }
        let name = rest[end...].dropFirst()
        return (directory, name.isEmpty ? "." : String(name))
    }
}
