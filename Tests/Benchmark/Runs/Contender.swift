import Foundation
import TestSupport

/// Who does a job.
enum Contender: Equatable {
    /// `pruned --run-now`.
    case pruned
    /// `pruned plan`.
    case plan
    /// `pruned --version`: what starting the program costs.
    case version
    /// `pruned suggest`.
    case suggest
    /// The `sqlite3` program with one DELETE statement, or with one UPDATE where rows are marked.
    case oneStatement
    /// The same with a VACUUM after it.
    case oneStatementAndVacuum
    /// Nothing is deleted for so many seconds.
    case nobody(seconds: Int)

    /// Whether it runs a build of pruned.
    var runsPruned: Bool { [.pruned, .plan, .version, .suggest].contains(self) }
    /// Whether it prints a report.
    var reports: Bool { self == .pruned || self == .plan }
    /// Whether it is what pruned is compared with.
    var isPeer: Bool { [.oneStatement, .oneStatementAndVacuum].contains(self) }
    /// Whether the job's rows are to be gone afterwards.
    var deletes: Bool { self == .pruned || isPeer }

    /// The command line for `copy`, by the build of pruned at the path `pruned`. Writes the configuration for it.
    func program(_ pruned: String, _ job: Job, on copy: StoreCopy) throws -> Program {
        let options = ["--config", copy.configuration, "--state-dir", copy.directory]
        switch self {
        case .pruned:
            try writePolicy(job, copy)
            return Program(pruned, ["--run-now", "--rule", Policy.ruleName, "--json"] + options)
        case .plan:
            try writePolicy(job, copy)
            return Program(pruned, ["plan", "--json"] + options)
        case .suggest: return Program(pruned, ["suggest", copy.path] + options)
        case .version: return Program(pruned, ["--version"])
        case .oneStatement: return .sqlite3(copy.path, statements(job))
        case .oneStatementAndVacuum: return .sqlite3(copy.path, statements(job) + " VACUUM;")
        case .nobody(let seconds): return Program("sleep", [String(seconds)])
        }
    }

    private func writePolicy(_ job: Job, _ copy: StoreCopy) throws {
        let policy = Policy(job: job, now: Int64(Date().timeIntervalSince1970))
        try policy.description.write(toFile: copy.configuration, atomically: false, encoding: .utf8)
    }

    /// With what pruned sets on its own connection. The last one only matters where an app writes, too.
    private func statements(_ job: Job) -> String {
        let cascade = job.expiring == .feeds ? "PRAGMA foreign_keys=ON; " : ""
        return """
            PRAGMA synchronous=NORMAL; PRAGMA secure_delete=FAST; PRAGMA busy_timeout=5000; \(cascade)\
            \(job.statement)
            """
    }
}

/// The configuration with which pruned does a job. Where no articles are, it has only keys
/// that every build knows that may be compared.
struct Policy: CustomStringConvertible {
    static let ruleName = "expired"

    let job: Job
    /// In Unix seconds. What is kept is counted back from the moment of the run to the job's cutoff.
    let now: Int64

    var description: String {
        """
        time_zone = "UTC"
        [guard]
        max_share = 1.0
        [store.measured]
        path = "\(StoreCopy.fileName(job.recipe.schema))"
        reclaim = \(job.reclaim)
        [rule.\(Self.ruleName)]
        table = "\(job.table)"
        every = "1d"
        archive = \(job.archive)
        quiet = \(job.quiet)
        \(expiry)
        \(timeline)
        """
    }

    private var span: String { "\"\(now - job.cutoff)s\"" }

    private var expiry: String {
        if job.expiring == .feeds {
            return "expires_column = \"expires_at\"\ngrace = \(span)\ndependents = [\"article\"]"
        }
        if case .articles(let rule) = job.expiring {
            return "age_column = \"\(job.timeColumn)\"\nkeep = \(span)\n\(rule.policy)"
        }
        let isMarked = job.table == "read_record" && job.recipe.schema == .reader
        return "age_column = \"\(job.timeColumn)\"\nkeep = \(span)"
            + (isMarked ? "\nkept_by = \"tweet.id\"" : "")
    }

    /// The rule that the built-in policy applies before, where there are rows for it.
    private var timeline: String {
        guard job.recipe.hasOldTweets else { return "" }
        return """
            [rule.timeline]
            table = "tweet"
            age_column = "created_at"
            keep = \(span)
            every = "1d"

            """
    }
}
