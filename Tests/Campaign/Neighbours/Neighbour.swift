import CTracing
import Foundation

/// A user without an entry in the user database.
struct Neighbour: Sendable {
    let id: uid_t
    let group: gid_t

    static let root = Neighbour(id: 0, group: 0)
    /// The user that the program works as, in the group of those who share stores with it.
    static let program = Neighbour(id: 4_811, group: 4_712)
    /// The owner of the store and of its directory.
    static let app = Neighbour(id: 4_711, group: 4_712)
    /// Neither of them.
    static let stranger: uid_t = 4_813

    /// Runs `body` with what this user may do to files.
    func act<Result>(_ body: () throws -> Result) rethrows -> Result {
        tracing_act_as(id, group)
        defer { tracing_act_as(0, 0) }
        return try body()
    }

    /// Gives a file or directory to this user.
    func own(_ path: String, mode: mode_t) throws {
        guard lchown(path, id, group) == 0, chmod(path, mode) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }
}
