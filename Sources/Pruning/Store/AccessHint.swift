import Foundation

/// What helps whom the system does not let at a file: by that they may be root, who works as the owner of the state
/// directory, and whom it does not help to be told to be root.
enum AccessHint {
    /// For this process at `path`, or at what of the path it may look at.
    static func text(for path: String) -> String {
        var status = stat()
        var path = path
        while stat(path, &status) != 0 {
            guard errno == EACCES, path != "/", let end = path.lastIndex(of: "/") else {
                return "run as its owner, or as a member of its group"
            }
            path = end == path.startIndex ? "/" : String(path[..<end])
        }
        return text(user: geteuid(), groups: memberships, of: status, path)
    }

    /// For `user`, who is in `groups`, at what has this status.
    static func text(user: uid_t, groups: Set<gid_t>, of status: stat, _ path: String) -> String {
        let owner =
            status.st_uid == 0 || status.st_uid == user ? nil : "as \(Account.user(status.st_uid)), its owner"
        let isOpenToGroup = status.st_mode & S_IRWXG != 0 && !groups.contains(status.st_gid)
        let group = Account.name(ofGroup: status.st_gid)
        let ways = [owner, isOpenToGroup ? "as a member of its group, \(group)" : nil].compactMap(\.self)
        let command =
            isOpenToGroup
            ? " (`adduser \(Account.name(of: user)) \(group)`, then start the service anew)" : ""
        return ways.isEmpty
            ? "let \(Account.user(user)) at \(path): it belongs to \(Account.user(status.st_uid))"
            : "\(Account.user(user)) may not enter or use \(path): run " + ways.joined(separator: ", or ")
                + command
    }

    private static var memberships: Set<gid_t> {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = getgroups(Int32(groups.count), &groups)
        return Set(groups.prefix(Int(max(0, count)))).union([getegid()])
    }
}
