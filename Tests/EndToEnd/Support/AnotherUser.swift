import TestSupport
import Foundation

/// A user other than the one who runs the tests, which takes root.
struct AnotherUser {
    let user: uid_t
    let group: gid_t

    static let nobody = AnotherUser(user: 65_534, group: 65_534)
    /// Two without an entry in the user database.
    static let app = AnotherUser(user: 4_711, group: 4_712)
    static let stranger = AnotherUser(user: 4_713, group: 4_713)

    /// What makes a program run as this user.
    var prefix: [String] {
        ["setpriv", "--reuid", "\(user)", "--regid", "\(group)", "--clear-groups"]
    }

    /// The program as this user: a copy in `sandbox`, for the build directory may be closed to others.
    func program(_ program: Program, in sandbox: Sandbox) throws -> Program {
        let copy = sandbox.path + "/" + (program.path as NSString).lastPathComponent
        chmod(sandbox.path, 0o1777)  // as /tmp: where all can write files into it, no configuration is read
        if access(copy, F_OK) != 0 {
            // By another process: a descriptor that is open for writing here would be inherited by programs that
            // other tests start just then, and a file that is open for writing cannot be run.
            try Program(path: "cp", arguments: [program.path, copy]).run().checked()
        }
        var other = Program(path: copy)
        other.arguments = program.arguments
        other.environment = program.environment
        other.prefix = prefix
        return other
    }

    /// Gives a file or directory to this user.
    func own(_ path: String, mode: mode_t) throws {
        guard lchown(path, user, group) == 0, chmod(path, mode) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }
}
