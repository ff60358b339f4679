import Foundation
import TestSupport

/// Looks at a store after a run, with the `sqlite3` program.
struct StoreCheck {
    let copy: StoreCopy
    let job: Job

    /// Throws unless `deleted` expired rows are gone, or `all` of them, and nothing else; and unless what the app
    /// has inserted is still there.
    func expectDeleted(_ deleted: Int, all: Bool, inserted: Int?) throws {
        guard !all || deleted == job.expired else {
            throw BenchmarkError("\(deleted) of \(job.expired) expired rows were deleted")
        }
        if case .articles(let rule) = job.expiring {
            return try expectArticles(rule, deleted, inserted: inserted)
        }
        var expected = [job.expired - deleted, job.staying]
        var sums = ["\(job.timeColumn) < \(job.cutoff)", "\(job.timeColumn) >= \(job.cutoff)"]
        if case .readRecords = job.expiring {
            sums[1] += " AND created_at <= \(Timeline.end)"
            sums.append("created_at > \(Timeline.end)")
            expected.append(inserted ?? 0)
        }
        let columns = sums.map { "total(\($0))" }.joined(separator: ", ")
        try expect(expected, of: "SELECT \(columns) FROM \(job.table)")
        if job.expiring == .feeds {
            let articles = (job.recipe.feeds - deleted) * StoreRecipe.articlesPerFeed
            try expect([articles], of: "SELECT total(1) FROM article")
        }
    }

    /// The articles are told by their ids, which say how they were made: what the rule looks at is as it was, too.
    private func expectArticles(_ rule: ArticleRule, _ deleted: Int, inserted: Int?) throws {
        let isOriginal = "id <= \(job.recipe.records)"
        let isExpired = "(\(rule.isExpired(job.recipe)))"
        let isAsMade = "read = ((id - 1) % 10 <> 0) AND starred = ((id - 1) % 20 = 1)"
        let sums = [
            "\(isExpired) AND NOT deleted", "\(isExpired) AND deleted",
            "\(isOriginal) AND NOT \(isExpired) AND NOT deleted",
            "\(isOriginal) AND \(isAsMade)", "NOT \(isOriginal) AND NOT deleted", "1",
        ]
        let marked = rule.marks ? deleted : 0
        let left = job.recipe.records - (deleted - marked)
        let expected = [
            job.expired - deleted, marked, job.staying, left, inserted ?? 0, left + (inserted ?? 0),
        ]
        try expect(
            expected, of: "SELECT \(sums.map { "total(\($0))" }.joined(separator: ", ")) FROM article")
        let rows = 0..<job.recipe.records
        try expect(
            [rows.count { Article($0).isLabelled }, rows.count { Article($0).isBookmarked }],
            of: "SELECT (SELECT count(*) FROM label), (SELECT count(*) FROM bookmark)")
    }

    /// Throws unless the archive has as many rows.
    func expectArchived(_ deleted: Int) throws {
        // Builds of pruned differ in where they have it.
        let files = try FileManager.default.subpathsOfDirectory(atPath: copy.directory)
        guard let path = files.first(where: { $0.hasSuffix("archive.sqlite") }) else {
            throw BenchmarkError("there is no archive")
        }
        let archive = Program.sqlite3("\(copy.directory)/\(path)", "SELECT total(row_count) FROM batch")
        let answer = try archive.measured().answer()
        guard Double(answer) == Double(deleted) else {
            throw BenchmarkError("the archive has \(answer) of \(deleted) rows")
        }
    }

    /// Throws unless the file is sound.
    func expectIntegrity() throws {
        let answer = try copy.query("PRAGMA integrity_check; PRAGMA foreign_key_check")
        guard answer == "ok" else { throw BenchmarkError("integrity_check says: \(answer)") }
    }

    /// How long the file would be after a VACUUM.
    func vacuumedBytes() throws -> Int64 {
        let path = copy.directory + "/vacuumed.sqlite"
        _ = try copy.query("VACUUM INTO '\(path)'")
        var status = stat()
        guard lstat(path, &status) == 0 else { throw BenchmarkError(cannot: "look at \(path)") }
        return Int64(status.st_size)
    }

    private func expect(_ expected: [Int], of sql: String) throws {
        let answer = try copy.query(sql)
        let numbers = answer.split(separator: "|").compactMap { Double($0) }
        guard numbers == expected.map(Double.init) else {
            throw BenchmarkError("\(sql) gives \(answer) instead of \(expected)")
        }
    }
}
