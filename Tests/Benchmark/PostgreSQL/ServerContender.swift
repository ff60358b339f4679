import Foundation
import TestSupport

/// Who does a job on a database.
enum ServerContender: Equatable {
    /// `pruned --run-now`.
    case pruned
    /// `pruned check`.
    case check
    /// `psql` with one DELETE.
    case oneStatement
    /// `psql` with a loop of DELETEs with a LIMIT.
    case loop(limit: Int)
    /// `psql` with `SELECT 1`: what connecting costs.
    case connecting
    /// Nothing is deleted for so many seconds.
    case nobody(seconds: Int)

    var runsPruned: Bool { self == .pruned || self == .check }
    /// Whether the job's rows are to be gone afterwards.
    var deletes: Bool {
        switch self {
        case .pruned, .oneStatement, .loop: true
        case .check, .connecting, .nobody: false
        }
    }
    /// Whether it is what pruned is compared with.
    var isPeer: Bool { deletes && !runsPruned }

    /// The command line for `copy`, by the build of pruned at the path `pruned`. Writes the configuration for it.
    func program(_ pruned: String, _ job: ServerJob, on copy: ServerCopy) throws -> Program {
        switch self {
        case .pruned, .check:
            try FileManager.default.createDirectory(atPath: copy.state, withIntermediateDirectories: true)
            let policy = job.policy(url: copy.url, now: Int64(Date().timeIntervalSince1970))
            try policy.write(toFile: copy.configuration, atomically: false, encoding: .utf8)
            let command = self == .check ? ["check"] : ["--run-now", "--rule", Policy.ruleName, "--json"]
            return Program(
                pruned, command + ["--config", copy.configuration, "--state-dir", copy.state])
        case .oneStatement: return try copy.psql(job.statement)
        case .loop(let limit): return try copy.psql(job.loop(limit: limit))
        case .connecting: return try copy.psql("SELECT 1")
        case .nobody(let seconds): return Program("sleep", [String(seconds)])
        }
    }
}
