import TestSupport
import Foundation
import Testing

/// A confirmed deletion that fails before it is complete.
@Suite struct ConfirmedFailureTests {
    private let state: StateDirectory
    private let file: String

    /// One row cannot be deleted. Its run was confirmed, and has failed.
    init() throws {
        state = try StateDirectory()
        try Program(path: "mkdir", arguments: ["-p", state.path]).run().checked()
        try Database(path: state.path + "/news.db").query(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1300)
            INSERT INTO item SELECT i, unixepoch() - (i <= 1200) * 8640000 FROM n;
            CREATE TRIGGER stop BEFORE DELETE ON item BEGIN SELECT CASE old.id WHEN 700 THEN RAISE(ABORT, 'no') END; END;
            """)
        file = try state.configuration(
            """
            [store.news]
            path = "news.db"
            [rule.old]
            table = "item"
            age_column = "at"
            keep = "30d"
            """)
        #expect(try run().status == 3)
        #expect(try run("--confirm", "old").status == 1)
    }

    private func run(_ arguments: String...) throws -> EndedProgram {
        var program = state.pruned("--run-now", "--config", file)
        program.arguments += arguments
        return try program.run()
    }

    @Test("the status is that of the failed run, and says how many rows the confirmation still covers")
    func status() throws {
        let left = try Database(path: state.path + "/news.db").count(
            "SELECT count(*) FROM item WHERE at < unixepoch() - 86400")
        #expect(left > 0)
        let ended = try state.pruned("status", "--config", file).run()
        #expect(ended.status == 1 && ended.output.contains(#/\nold .* failed\n/#), "\(ended)")
        #expect(ended.output.contains("\nold: failed\n    cannot delete expired rows of item"), "\(ended)")
        let confirmed =
            #/\nold: confirmed at [-0-9]+ [:0-9]+\n    the confirmation still covers ([0-9,]+) rows\n\n/#
        let covered = try #require(ended.output.firstMatch(of: confirmed), "\(ended)").output.1
        #expect(Int(covered.replacing(",", with: "")) == left)
        #expect(!ended.output.contains("held since") && !ended.output.contains("of 1,300"), "\(ended)")
        let report = try state.pruned("status", "--json", "--config", file).run().statusReport()
        #expect(report["old"]?.state == "failed" && report.holds.map(\.expired) == [left])
    }

    @Test("the history has a confirmation once, though a later run goes on with what it still covers")
    func history() throws {
        #expect(try run().status == 1)
        let ended = try state.pruned("history", "--json", "--config", file).run().checked()
        let kinds = ended.output.split(separator: "\n").compactMap {
            $0.firstMatch(of: #/"kind":"([a-z]+)"/#)?.output.1
        }
        #expect(kinds == ["run", "confirmed", "run", "run"], "\(ended)")
    }
}
