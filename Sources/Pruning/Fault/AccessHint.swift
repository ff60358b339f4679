import FoundationEssentials
import Glibc
import TerminalText

/// The hint for a user to whom the system denies access to a file.
///
/// It never suggests running as root: root may have started the program, which then works as the owner of the state
/// directory.
package enum AccessHint {
    /// The hint for this process at `path`, or at the part of `path` that denies access to the rest.
    package static func text(for path: String) -> String {
        guard let (place, status) = refusing(path) else {
            return "run as its owner, or as a member of its group"
        }
        return text(user: geteuid(), groups: memberships, of: status, place)
    }

    /// The deepest part of `path` that can be examined: this is the part that denies access. Links are followed.
    private static func refusing(_ path: String, links: Int = 40) -> (place: String, status: stat)? {
        var status = stat()
        var path = path
        while stat(path, &status) != 0 {
            guard errno == EACCES, path != "/", let end = path.lastIndex(of: "/") else { return nil }
            let directory = end == path.startIndex ? "/" : String(path[..<end])
            if links > 0, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
                let isAbsolute = target.hasPrefix("/")
                return refusing(isAbsolute ? target : directory + "/" + target, links: links - 1)
            }
            path = directory
        }
        return (path, status)
    }

    /// The owner that a user namespace shows for files of users outside it, as in the sandbox of a user's own service.
    private static let nobody: uid_t = 65_534

    /// The hint for `user`, a member of `groups`, at a file with this status.
    static func text(user: uid_t, groups: Set<gid_t>, of status: stat, _ path: String) -> String {
        let (owner, group) = (status.st_uid, status.st_gid)
        let isOpenToGroup =
            status.st_mode & S_IRWXG != 0 && !Account.isPrivileged(group: group) && !groups.contains(group)
        let isOwnerOfUse = owner != 0 && owner != nobody && owner != user
        let groupName = Account.name(ofGroup: group) ?? "\(group)"
        let ways = [
            isOwnerOfUse ? "as \(Account.user(owner)), its owner" : nil,
            isOpenToGroup ? "as a member of its group, \(groupName)" : nil,
        ].compactMap(\.self)
        let who = Account.user(user)
        guard !ways.isEmpty else {
            return "\(who) may not enter or use \(path), which belongs to another user"
        }
        let command =
            " (`adduser \(Account.name(of: user) ?? "\(user)") \(groupName)`, then restart the service)"
        return "\(who) may not enter or use \(path): run " + ways.joined(separator: ", or ")
            + (isOpenToGroup ? command : "")
    }

    /// The groups of this process.
    package static var memberships: Set<gid_t> {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return Set(groups.prefix(Int(max(0, count)))).union([getegid()])
    }
}
