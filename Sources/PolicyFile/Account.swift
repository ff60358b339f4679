import FoundationEssentials
import Glibc

/// Users and groups as the system knows them.
enum Account {
    /// The user's name, or its number where it has none.
    static func name(of user: uid_t) -> String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "user id \(user)"
    }

    /// The group's name, or its number where it has none.
    static func name(ofGroup group: gid_t) -> String {
        getgrgid(group).map { String(cString: $0.pointee.gr_name) } ?? "id \(group)"
    }

    /// Whether the group is the user's own, and nobody else's: as most systems make one with each user, of the same
    /// name.
    static func isPrivate(_ group: gid_t, to user: uid_t) -> Bool {
        let entry = getpwuid(user)
        let own = entry?.pointee.pw_gid ?? (user == geteuid() ? getegid() : nil)
        guard group == own else { return false }
        guard let known = getgrgid(group) else { return true }  // of nobody's but whoever was started with it
        guard let entry, strcmp(known.pointee.gr_name, entry.pointee.pw_name) == 0 else { return false }
        var member = known.pointee.gr_mem
        while let name = member?.pointee {
            guard strcmp(name, entry.pointee.pw_name) == 0 else { return false }
            member = member?.successor()
        }
        return true
    }
}
