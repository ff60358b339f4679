import Glibc

/// Users and groups, as text for people.
package enum Account {
    /// `user alice (1000)`, or `user 1000` where it has no name.
    package static func user(_ id: uid_t) -> String {
        name(of: id).map { "user \($0) (\(id))" } ?? "user \(id)"
    }

    /// The name of the user; nil where it has none.
    package static func name(of user: uid_t) -> String? {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) }
    }

    /// The name of the group; nil where it has none.
    package static func name(ofGroup group: gid_t) -> String? {
        getgrgid(group).map { String(cString: $0.pointee.gr_name) }
    }
}
