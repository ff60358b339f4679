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

    /// Whether the members of a group may do more than to use files of one app. No hint may advise to join it, or to open
    /// files to it.
    package static func isPrivileged(group: gid_t) -> Bool {
        group == 0 || group == nogroup || name(ofGroup: group).map(privilegedGroups.contains) ?? false
    }

    /// In a user namespace, the group of files of groups outside it.
    private static let nogroup: gid_t = 65_534

    private static let privilegedGroups: Set<String> = [
        "root", "wheel", "sudo", "admin", "adm", "shadow", "disk", "kmem", "sys", "bin", "daemon", "tty",
        "tape",
        "lp", "dialout", "operator", "staff", "src", "backup", "utmp", "input", "kvm", "render", "video",
        "users",
        "nogroup", "nobody", "ssl-cert", "docker", "lxd", "incus", "libvirt", "systemd-journal",
    ]

    /// The name of the group; nil where it has none.
    package static func name(ofGroup group: gid_t) -> String? {
        getgrgid(group).map { String(cString: $0.pointee.gr_name) }
    }
}
