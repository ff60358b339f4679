import TestSupport
import Foundation

/// A store of read records of many ages, by which guards are judged.
extension StateDirectory {
    /// A store with `expired` read records of `days` days and `fresh` ones of today.
    static func holding(expired: Int, days: Int = 400, fresh: Int) throws -> StateDirectory {
        let state = try StateDirectory()
        try state.pruned("--run-now", "--rule", "feed-cache").run().checked()
        try state.addRecords(expired, days: days)
        try state.addRecords(fresh, days: 0)
        return state
    }

    /// Adds read records of this many days.
    func addRecords(_ count: Int, days: Int) throws {
        guard count > 0 else { return }
        try store.query(
            """
            WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count))
            INSERT INTO read_record (id, created_at)
            SELECT lower(hex(randomblob(8))), unixepoch() - \(days) * 86400 FROM n
            """)
    }

    /// Adds read records that have expired, by a rule that keeps 30 days of UTC, when this returns, but had not before.
    func expireRecords(_ count: Int) throws {
        try store.query(
            """
            WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT \(count))
            INSERT INTO read_record (id, created_at)
            SELECT lower(hex(randomblob(8))), unixepoch() + 1 - 30 * 86400 FROM n
            """)
        let coming =
            "SELECT count(*) FROM read_record"
            + " WHERE created_at BETWEEN unixepoch() - 30 * 86400 AND unixepoch() - 29 * 86400"
        try eventually("they expire") { try store.count(coming) == 0 }
    }

    /// How many read records there are.
    var records: Int {
        get throws { try store.count("SELECT count(*) FROM read_record") }
    }

    /// A configuration file with one rule for the read records, `only`; `more` is added to it.
    func readRecordsFile(keep: String = "30d", _ more: String = "", name: String = "pruned.toml") throws
        -> String
    {
        try configuration(
            """
            time_zone = "UTC"
            store.reader.path = "shared/reader.sqlite"
            [rule.only]
            table = "read_record"
            age_column = "created_at"
            keep = "\(keep)"
            \(more)
            """, name: name)
    }
}

extension EndedProgram {
    /// What `--run-now --json` says of the only rule. Throws unless it ended with `status`.
    func only(_ status: Int32) throws -> PrintedReport.Rule {
        guard self.status == status, let rule = try report().rules.last else {
            throw ProgramFailed(program: self)
        }
        return rule
    }
}
