import Foundation
import Pruning

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

    /// As many as the kernel follows; path_resolution(7).
    private static let mostLinks = 40

    /// Opens the directory, for looking things up in it alone (`O_PATH`).
    func open() throws(StoreError) -> Int32 {
        var names = Self.names(path)
        var current = try root()
        var links = 0
        while let name = names.first {
            names.removeFirst()
            let next = openat(current, name, CheckedOpen.look)
            guard next >= 0, let facts = FileFacts(of: next) else {
                let code = errno
                close(current)
                throw error(code)
            }
            do throws(StoreError) {
                try check(current, leadingTo: facts)
                if facts.isLink {
                    links += 1
                    guard links <= Self.mostLinks else { throw error(ELOOP) }
                    let target = try target(of: next, facts)
                    names = Self.names(target) + names
                    close(next)
                    if target.hasPrefix("/") {
                        close(current)
                        current = try root()
                    }
                    continue
                }
                guard facts.isDirectory else { throw error(ENOTDIR) }
            } catch {
                close(next)
                close(current)
                throw error
            }
            close(current)
            current = next
        }
        do throws(StoreError) {
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

    private func root() throws(StoreError) -> Int32 {
        let root = Foundation.open("/", CheckedOpen.look | O_DIRECTORY)
        guard root >= 0 else { throw error(errno) }
        return root
    }

    private func target(of link: Int32, _ facts: FileFacts) throws(StoreError) -> String {
        guard facts.owner == 0 || facts.owner == user || Self.mayBeRoot(facts.owner) else {
            throw StoreError(
                .inputOutput, operation: "open the directory of the store", place: path,
                cause: "a symbolic link of \(Account.user(facts.owner)) stands in the path",
                hint: "name the directory that it leads to: who owns the link could let it lead elsewhere")
        }
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        // An empty name is the link itself, which is what was looked at.
        let count = readlinkat(link, "", &bytes, bytes.count)
        guard count >= 0 else { throw error(errno) }
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
    private func check(_ directory: Int32, leadingTo next: FileFacts?) throws(StoreError) {
        guard user == 0, let facts = FileFacts(of: directory) else { return }
        guard facts.owner != 0 || facts.isWritableByOthers else { return }
        if facts.owner == 0, facts.isSticky, let next, next.owner == 0 { return }
        let owner = facts.owner == 0 ? nil : facts.owner
        let name = owner.flatMap { getpwuid($0) }.map { String(cString: $0.pointee.pw_name) }
        let who = owner.map(Account.user) ?? "others"
        throw StoreError(
            .inputOutput, operation: "open the directory of the store", place: path,
            cause: "\(who) can write to \(Self.name(of: directory) ?? "it"), and pruned works as root",
            hint: "who can write there could put another file in the store's place: run pruned as its owner"
                + (name.map { " (sudo -u \($0) pruned ...)" } ?? "")
                + ", or let the state directory belong to that user: root then works as its owner")
    }

    private static func name(of descriptor: Int32) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
    }

    private func error(_ code: Int32) -> StoreError {
        let operation = "open the directory of the store"
        guard code == EACCES else {
            return .system(
                code, operation: operation, place: path,
                hint: code == ENOENT ? "the app creates it; until then there is nothing to prune" : nil)
        }
        let system = StoreError.system(code, operation: operation, place: path)
        return StoreError(
            system.kind, operation: operation, place: path,
            cause: "its directory cannot be entered (\(system.cause))", hint: system.hint)
    }
}
