import Glibc
import Synchronization

/// The directory of a store, which stays open. All checks, and all files that SQLite opens, creates and removes, are in
/// this one directory, wherever its path leads meanwhile.
///
/// SQLite knows files only by their paths. It gets paths that begin with ``prefix``, and ``FileLayer`` resolves them
/// here.
package final class StoreDirectory: Sendable {
    /// Only for looking up names in the directory.
    package let descriptor: Int32
    private let identity: FileIdentity
    private let id: Int
    /// The files that were checked, by name. SQLite may open only these as databases.
    private let expected = Mutex<[String: FileIdentity]>([:])
    /// The databases beside which SQLite may create no file.
    private let closed = Mutex<Set<String>>([])

    /// The beginning of a path that no real file can have.
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

    /// The names in the directory, sorted, without those that begin with a dot. Nil with `errno` if it cannot be read.
    package func names() -> [String]? {
        let readable = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard readable >= 0 else { return nil }
        guard let list = fdopendir(readable) else {
            defer { Glibc.close(readable) }
            return nil
        }
        defer { closedir(list) }
        var names: [String] = []
        while let entry = readdir(list) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    deinit {
        Self.known.withLock { $0.byID[id] = nil }
        close(descriptor)
    }

    /// The directory at `path`, which must be absolute. All who use a directory at the same time share one object,
    /// because connections share an index of the log under the path of the first one. If `owner` is given, the caller
    /// must check that the directory belongs to that user; see ``PathWalk``.
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
        // `deinit` takes the lock, so no directory may be released while the lock is taken here.
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

    /// The file `name` in the directory. Nil if there is none; `errno` has the cause.
    package func facts(_ name: String) -> FileFacts? { FileFacts(name, in: descriptor) }

    /// The path of the file `name` for SQLite.
    package func path(of name: String) -> String { "\(Self.prefix)\(id)/\(name)" }

    /// After this call SQLite may open `name` only if it is this file.
    package func expect(_ name: String, _ identity: FileIdentity) {
        expected.withLock { $0[name] = identity }
    }

    /// The file that `name` must be; nil if none was checked.
    package func expected(_ name: String) -> FileIdentity? { expected.withLock { $0[name] } }

    /// From now on SQLite may create the journal, the log and the log's index of the database `name`, or may not.
    package func allowCreation(_ isAllowed: Bool, beside name: String) {
        closed.withLock { closed in
            if isAllowed { closed.remove(name) } else { closed.insert(name) }
        }
    }

    /// Whether SQLite may create the file `name`.
    func mayCreate(_ name: String) -> Bool {
        closed.withLock { closed in
            !["-journal", "-wal", "-shm"].contains { ending in
                name.hasSuffix(ending) && closed.contains(String(name.dropLast(ending.count)))
            }
        }
    }

    /// Whether the path comes from ``path(of:)``.
    package static func isPath(_ path: UnsafePointer<CChar>) -> Bool {
        strncmp(path, prefix, prefix.utf8.count) == 0
    }

    /// The parts of a path from ``path(of:)``. Nil for any other path, and after everybody has released the directory.
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
