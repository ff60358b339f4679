import Foundation

/// Who the process works as.
enum Privileges {
    /// Makes root the owner of `directory`, for good.
    ///
    /// Whatever root then creates there (a store, its `-wal`, a lock, the state) belongs to whoever the service runs
    /// as, and root prunes nothing that the service could not.
    static func assumeOwner(of directory: String) throws(Failure) {
        var status = stat()
        guard geteuid() == 0, stat(directory, &status) == 0, status.st_uid != 0 else { return }
        let (user, group) = (status.st_uid, status.st_gid)
        let hasGroups =
            if let entry = getpwuid(user) { initgroups(entry.pointee.pw_name, group) == 0 } else {
                setgroups(0, nil) == 0
            }
        guard hasGroups, setgid(group) == 0, setuid(user) == 0 else {
            throw Failure(
                .inputOutput,
                "cannot become user id \(user), the owner of \(directory): \(String(cString: strerror(errno)))",
                hint: "run as that user")
        }
    }

    /// Whom the process works as on `directory`: root as its owner, see ``assumeOwner(of:)``.
    static func userWorking(on directory: String) -> uid_t {
        var status = stat()
        return geteuid() == 0 && stat(directory, &status) == 0 ? status.st_uid : geteuid()
    }

    /// The name of the person or service that started the process: under `sudo`, of whoever called that. To be asked before
    /// ``assumeOwner(of:)``.
    static var caller: String? {
        let sudoUser = ProcessInfo.processInfo.environment["SUDO_USER"]
        return geteuid() == 0 ? sudoUser ?? userName : userName
    }

    /// Whether root works for somebody who called `sudo`.
    static var isBySudo: Bool {
        geteuid() == 0 && !(ProcessInfo.processInfo.environment["SUDO_USER"] ?? "").isEmpty
    }

    /// The name of the user; nil when it has none.
    static var userName: String? { name(of: geteuid()) }

    /// The name of a user; nil when it has none.
    static func name(of user: uid_t) -> String? {
        getpwuid(user).map { String(cString: $0.pointee.pw_name) }
    }
}
