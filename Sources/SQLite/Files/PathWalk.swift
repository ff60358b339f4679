import FoundationEssentials
import Glibc

/// Why the way to a directory is not gone.
package enum PathRefusal: Error, Equatable {
    /// What the system says, in `errno`.
    case system(Int32)
    /// A symbolic link stands in the path that belongs to neither root nor the user of this process.
    case link(owner: uid_t)
    /// This process is root, and others can write to a directory on the way: its owner, or where that is root, anybody.
    case others(owner: uid_t, directory: String?)
}

/// The way to a directory, one name after the other, so that nobody but root and the user of this process decides where
/// it leads.
///
/// A link is followed only if it belongs to one of them: whoever owns a directory of an app could otherwise lead to that of
/// another. And as root every directory on the way must be root's alone: who can rename in one of them can put any
/// other file of the system in the place of the store.
struct PathWalk {
    /// Absolute.
    let path: String
    let user: uid_t
    /// Whether whoever opens the directory looks themselves whose it is, so that others may rename it.
    var leadsAnywhere = false

    /// As many as the kernel follows; path_resolution(7).
    private static let mostLinks = 40

    /// Opens the directory, for looking things up in it alone (`O_PATH`).
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
        // An empty name is the link itself, which is what was looked at.
        let count = readlinkat(link, "", &bytes, bytes.count)
        guard count >= 0 else { throw .system(errno) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// In a user namespace without root, as that of a user's service, root's links seem to belong to nobody.
    private static func mayBeRoot(_ owner: uid_t) -> Bool {
        guard let nobody = FileManager.default.contents(atPath: "/proc/sys/kernel/overflowuid"),
            String(decoding: nobody, as: UTF8.self) == "\(owner)\n",
            let map = FileManager.default.contents(atPath: "/proc/self/uid_map")
        else { return false }
        return !String(decoding: map, as: UTF8.self).split(separator: "\n").contains {
            $0.split(separator: " ").first == "0"
        }
    }

    /// Throws where this process is root and others can write to `directory`. Where its sticky bit is set, as in /tmp, they
    /// cannot rename what is root's.
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
