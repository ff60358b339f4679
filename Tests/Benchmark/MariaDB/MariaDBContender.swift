import Foundation
import TestSupport

/// Who does the job on a MariaDB database.
enum MariaDBContender: Equatable {
    /// `pruned --run-now`.
    case pruned
    /// The client with one DELETE.
    case oneStatement
    /// The client with a loop of DELETEs with a LIMIT.
    case loop(limit: Int)
    /// `pt-archiver`, which walks by the key and deletes 1,000 rows with each statement.
    case archiver
    /// Nothing is deleted for so many seconds.
    case nobody(seconds: Int)

    var runsPruned: Bool { self == .pruned }
    /// Whether the job's rows are to be gone afterwards.
    var deletes: Bool {
        switch self {
        case .pruned, .oneStatement, .loop, .archiver: true
        case .nobody: false
        }
    }
    /// Whether it is what pruned is compared with.
    var isPeer: Bool { deletes && !runsPruned }

    /// The command line for `copy`, by the build of pruned at the path `pruned`. Writes the configuration for it.
    func program(_ pruned: String, _ job: MariaDBJob, on copy: MariaDBCopy) throws -> Program {
        switch self {
        case .pruned:
            try FileManager.default.createDirectory(atPath: copy.state, withIntermediateDirectories: true)
            let policy = job.policy(url: copy.url, now: Int64(Date().timeIntervalSince1970))
            try policy.write(toFile: copy.configuration, atomically: false, encoding: .utf8)
            return Program(
                pruned,
                [
                    "--run-now", "--rule", Policy.ruleName, "--json", "--config", copy.configuration,
                    "--state-dir", copy.state,
                ])
        case .oneStatement: return try copy.client(job.statement)
        case .loop(let limit): return try copy.client(job.loop(limit: limit))
        case .archiver:
            let source = "S=\(copy.server.socket),u=root,D=\(copy.database),t=entry,A=utf8mb4"
            return Program(
                "pt-archiver",
                [
                    "--source", source, "--purge", "--bulk-delete", "--limit", "1000", "--where",
                    job.condition, "--no-check-charset",
                ])
        case .nobody(let seconds): return Program("sleep", [String(seconds)])
        }
    }
}
