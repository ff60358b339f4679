import DefaultStore
import FoundationEssentials
import Glibc
import Systemd
import TerminalText

/// The user and the groups that the process works as.
enum Privileges {
    /// If the process is root, it becomes the owner of `directory`, permanently.
    ///
    /// What the process then creates there (a store, its `-wal`, a lock, the state) belongs to the service's user. It
    /// can prune exactly the stores that the service can: the owner gets the groups of the account and those that the
    /// units give. A directory of root's that others can write to is refused: they could put there what root reads.
    static func assumeOwner(of directory: String) throws(Failure) {
        var status = stat()
        guard geteuid() == 0, stat(directory, &status) == 0 else { return }
        guard status.st_uid != 0 else {
            guard status.st_mode & S_IFMT == S_IFDIR, status.st_mode & 0o022 != 0 else { return }
            throw Failure(
                .inputOutput, "cannot work in \(directory): it belongs to root, and others can write to it",
                hint:
                    "`chmod g-w,o-w \(directory.shellWord)`, or give it to the user that pruned is to work as"
            )
        }
        let (user, group) = (status.st_uid, status.st_gid)
        let account = Account.name(of: user)
        let groups = groups(of: account, with: group) + groupsOfUnits(of: user, account, on: directory)
        try become(user, group, groups, ownerOf: directory)
    }

    /// If the process is root, it becomes the owner of the file at `path`, permanently.
    ///
    /// Whoever can change where the path leads can then only make the owner's own process read something else.
    static func assumeOwner(ofFile path: String) throws(Failure) {
        var status = stat()
        guard geteuid() == 0, lstat(path, &status) == 0, status.st_uid != 0 else { return }
        let user = status.st_uid
        let account = getpwuid(user)?.pointee
        // The file's own group may be one of others.
        let group = account?.pw_gid ?? nogroup
        let name = account.map { String(cString: $0.pw_name) }
        try become(user, group, groups(of: name, with: group), ownerOf: path)
    }

    /// The group of those that have none.
    private static let nogroup: gid_t = 65_534

    private static func become(
        _ user: uid_t, _ group: gid_t, _ groups: [gid_t], ownerOf path: String
    ) throws(Failure) {
        guard setgroups(groups.count, groups) == 0, setgid(group) == 0, setuid(user) == 0 else {
            throw Failure(
                .inputOutput,
                "cannot become \(Account.user(user)), the owner of \(path): \(String(cString: strerror(errno)))",
                hint: "run as that user")
        }
    }

    static func groups(of user: uid_t) -> [gid_t] {
        guard let account = getpwuid(user)?.pointee else { return [] }
        return groups(of: String(cString: account.pw_name), with: account.pw_gid)
    }

    /// The id of a user given by name or number.
    static func user(_ text: String) -> uid_t? {
        getpwnam(text).map(\.pointee.pw_uid) ?? uid_t(text)
    }

    /// The groups of an account, including `group`.
    private static func groups(of account: String?, with group: gid_t) -> [gid_t] {
        guard let account else { return [] }
        var groups = [gid_t](repeating: group, count: 64)
        var count = Int32(groups.count)
        while getgrouplist(account, group, &groups, &count) < 0 {
            groups = [gid_t](repeating: group, count: max(Int(count), groups.count * 2))
            count = Int32(groups.count)
        }
        return Array(groups.prefix(Int(count)))
    }

    /// The groups that units give this user for the same state directory (`SupplementaryGroups=`).
    private static func groupsOfUnits(of user: uid_t, _ account: String?, on directory: String) -> [gid_t] {
        ServiceManager.system.units(UnitName.running(on: directory)).filter { unit in
            unit.works(on: directory, usual: StateDirectory.system)
                && (unit.user == account || unit.user == "\(user)")
        }.flatMap(\.groups).compactMap(group)
    }

    /// The id of a group given by name or number.
    static func group(_ text: String) -> gid_t? {
        getgrnam(text).map(\.pointee.gr_gid) ?? gid_t(text)
    }

    /// The user that the process works as on `directory`. For root that is the owner, see ``assumeOwner(of:)``.
    static func userWorking(on directory: String) -> uid_t {
        var status = stat()
        return geteuid() == 0 && stat(directory, &status) == 0 ? status.st_uid : geteuid()
    }

    /// The name of the user that started the process; under `sudo`, the user that called it. Ask before
    /// ``assumeOwner(of:)``.
    static var caller: String? {
        let sudoUser = ProcessInfo.processInfo.environment["SUDO_USER"]
        return geteuid() == 0 ? sudoUser ?? userName : userName
    }

    /// Whether the process is root because a user called `sudo`.
    static var isBySudo: Bool {
        geteuid() == 0 && !(ProcessInfo.processInfo.environment["SUDO_USER"] ?? "").isEmpty
    }

    /// The name of the process's user; nil when it has none.
    static var userName: String? { Account.name(of: geteuid()) }
}

/// The names of the units that run this program.
enum UnitName {
    static let daemon = "pruned.service"
    static let run = "pruned-run.service"
    /// Starts ``run``.
    static let timer = "pruned-run.timer"

    /// The units of the system that may run on a state directory.
    static func running(on directory: String) -> [String] {
        [daemon, run] + [UserInstance(workingOn: directory)?.unit].compactMap(\.self)
    }
}
