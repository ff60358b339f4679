import Foundation

/// Who does a job.
enum Contender: Equatable {
    /// `pruned --run-now`, with the program at this path.
    case pruned(String)
    /// `pruned plan`, with the program at this path.
    case plan(String)
    /// The `sqlite3` program with one DELETE statement.
    case oneDelete
    /// The same with a VACUUM after it.
    case oneDeleteAndVacuum
    /// `pruned --version`: what starting the program at this path costs.
    case version(String)
    /// Nothing is deleted for so many seconds.
    case nobody(seconds: Int)

    /// The command line for `copy`, after what it needs has been written beside it.
    func program(_ job: Job, on copy: StoreCopy) throws -> Program {
        switch self {
        case .pruned(let path):
            return try Self.pruned(path, ["--run-now", "--rule", Policy.ruleName, "--json"], job, copy)
        case .plan(let path): return try Self.pruned(path, ["plan", "--json"], job, copy)
        case .oneDelete: return .sqlite3(copy.path, statements(job))
        case .oneDeleteAndVacuum: return .sqlite3(copy.path, statements(job) + " VACUUM;")
        case .version(let path): return Program(path, ["--version"])
        case .nobody(let seconds): return Program("sleep", [String(seconds)])
        }
    }

    private static func pruned(
        _ path: String, _ arguments: [String], _ job: Job, _ copy: StoreCopy
    ) throws -> Program {
        let policy = Policy(job: job, now: Int64(Date().timeIntervalSince1970))
        try policy.description.write(toFile: copy.configuration, atomically: false, encoding: .utf8)
        return Program(
            path, arguments + ["--config", copy.configuration, "--state-dir", copy.directory])
    }

    /// With what pruned sets on its own connection. The last one only matters where an app writes, too.
    private func statements(_ job: Job) -> String {
        let cascade = job.expiring == .feeds ? "PRAGMA foreign_keys=ON; " : ""
        return """
            PRAGMA synchronous=NORMAL; PRAGMA secure_delete=FAST; PRAGMA busy_timeout=5000; \(cascade)\
            DELETE FROM \(job.table) WHERE \(job.timeColumn) < \(job.cutoff);
            """
    }

    /// Whether the job's rows are to be gone afterwards.
    var deletes: Bool {
        switch self {
        case .pruned, .oneDelete, .oneDeleteAndVacuum: true
        case .plan, .version, .nobody: false
        }
    }

    var isPruned: Bool {
        if case .pruned = self { true } else { false }
    }

    var isPlan: Bool {
        if case .plan = self { true } else { false }
    }
}
