import FoundationEssentials
import Glibc

/// Users and groups, as text for people.
package enum Account {
    /// `user alice (1000)`, or `user 1000` where it has no name.
    package static func user(_ id: uid_t) -> String {
        getpwuid(id).map { "user \(String(cString: $0.pointee.pw_name)) (\(id))" } ?? "user \(id)"
    }

    /// The name of the user; its number where it has none.
    static func name(of user: uid_t) -> String {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) } ?? "\(user)"
    }

    /// The name of the group; its number where it has none.
    package static func name(ofGroup group: gid_t) -> String {
        getgrgid(group).map { String(cString: $0.pointee.gr_name) } ?? "\(group)"
    }
}
