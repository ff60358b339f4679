import FoundationEssentials
import Glibc

/// Why a directory was not opened.
package enum PathRefusal: Error, Equatable {
    /// The system refused, with this `errno`.
    case system(Int32)
    /// The path contains a symbolic link that belongs to neither root nor the user of this process.
    case link(owner: uid_t)
    /// This process is root, and others can write to a directory on the path: its owner or, if root owns it, other
    /// users.
    case others(owner: uid_t, directory: String?)
}

/// Follows a path to a directory, name by name, so that only root and the user of this process decide where it leads.
///
/// A link is followed only if it belongs to one of them. Otherwise the owner of one app's directory could lead pruned
/// to another's. For root, every directory on the path must also belong to root and be writable only by root. A user
/// who can rename files in one of them could put any other file of the system in the place of the store.
struct PathWalk {
    /// Must be absolute.
    let path: String
    let user: uid_t
    /// Whether the caller checks the owner of the opened directory. Then others may rename directories on the path.
    var leadsAnywhere = false

    /// The limit of the kernel; path_resolution(7).
    private static let mostLinks = 40

    /// Opens the directory only to look up names in it (`O_PATH`).
    func open() throws(PathRefusal) -> Int32 {
        var names = Self.names(path)
        var current = try root()
        var links = 0
        while let name = names.first {
            names.removeFirst()
            let next = openat(current, name, CheckedOpen.look)
            guard next >= 0, let facts = FileFacts(of: next) else {
                let code = errno
                close(current)
                throw .system(code)
            }
            do throws(PathRefusal) {
                try check(current, leadingTo: facts)
                if facts.isLink {
                    links += 1
                    guard links <= Self.mostLinks else { throw .system(ELOOP) }
                    let target = try target(of: next, facts)
                    names = Self.names(target) + names
                    close(next)
                    if target.hasPrefix("/") {
                        close(current)
                        current = try root()
                    }
                    continue
                }
                guard facts.isDirectory else { throw .system(ENOTDIR) }
            } catch {
                close(next)
                close(current)
                throw error
            }
            close(current)
            current = next
        }
        do throws(PathRefusal) {
            try check(current, leadingTo: nil)
        } catch {
            close(current)
            throw error
        }
        return current
    }

    private static func names(_ path: String) -> [String] {
        path.split(separator: "/").map(String.init)
    }

    private func root() throws(PathRefusal) -> Int32 {
        let root = Glibc.open("/", CheckedOpen.look | O_DIRECTORY)
        guard root >= 0 else { throw .system(errno) }
        return root
    }

    private func target(of link: Int32, _ facts: FileFacts) throws(PathRefusal) -> String {
        guard facts.owner == 0 || facts.owner == user || Self.mayBeRoot(facts.owner) else {
            throw .link(owner: facts.owner)
        }
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        // With an empty name, this reads the link that was checked.
        let count = readlinkat(link, "", &bytes, bytes.count)
        guard count >= 0 else { throw .system(errno) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// In a user namespace without root, such as that of a user's service, root's links appear to belong to nobody.
    private static func mayBeRoot(_ owner: uid_t) -> Bool {
        guard let nobody = FileManager.default.contents(atPath: "/proc/sys/kernel/overflowuid"),
            String(decoding: nobody, as: UTF8.self) == "\(owner)\n",
            let map = FileManager.default.contents(atPath: "/proc/self/uid_map")
        else { return false }
        return !String(decoding: map, as: UTF8.self).split(separator: "\n").contains {
            $0.split(separator: " ").first == "0"
        }
    }

    /// Throws if this process is root and others can write to `directory`. If the directory has the sticky bit, as /tmp
    /// has, they cannot rename files of root.
    private func check(_ directory: Int32, leadingTo next: FileFacts?) throws(PathRefusal) {
        guard user == 0, !leadsAnywhere, let facts = FileFacts(of: directory) else { return }
        guard facts.owner != 0 || facts.isWritableByOthers else { return }
        if facts.owner == 0, facts.isSticky, let next, next.owner == 0 { return }
        throw .others(owner: facts.owner, directory: Self.name(of: directory))
    }

    private static func name(of descriptor: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }
}
