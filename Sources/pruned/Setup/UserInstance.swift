import DefaultStore
import FoundationEssentials
import Glibc
import Pruning

/// `pruned@USER.service`, the instance of the template unit that a user has: the system's systemd runs it, as that user
/// and by that user's configuration.
struct UserInstance: Equatable {
    /// Where the state directories of all instances are.
    static let parent = "/var/lib/pruned-user"

    let user: String

    var unit: String { "pruned@\(user).service" }
    var stateDirectory: String { Self.parent + "/" + user }

    /// The user's home directory.
    var home: String? { getpwnam(user).map { String(cString: $0.pointee.pw_dir) } }

    init(user: String) { self.user = user }

    /// The instance that works on this state directory; nil for other directories.
    init?(workingOn stateDirectory: String) {
        let path = stateDirectory.withoutDots
        guard path.hasPrefix(Self.parent + "/"), path.parentPath == Self.parent else { return nil }
        user = path.lastName
    }

    /// The state directory that a user's commands have in common with the user's instance; nil if there is no instance.
    ///
    /// The user may have had a service in the own systemd before, or have one again. If it runs now, its directory is
    /// meant. systemd tells each unit its directory, or lets it use the default.
    static func directory(
        for user: String?, instead own: String, environment: [String: String]
    ) -> String? {
        guard let user, ["NOTIFY_SOCKET", "MAINPID"].allSatisfy({ environment[$0] == nil }) else {
            return nil
        }
        let directory = UserInstance(user: user).stateDirectory
        var status = stat()
        guard lstat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            status.st_uid == geteuid(), ServicePresence.isSeen(stateDirectory: own) != true
        else { return nil }
        return directory
    }
}
