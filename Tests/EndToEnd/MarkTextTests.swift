import TestSupport
import Foundation
import Testing

/// What is said of rules that mark rows, where nothing was marked yet.
@Suite struct MarkTextTests {
    private let state: StateDirectory
    private let file: String

    /// Rules that mark, of which the first would be held.
    init() throws {
        state = try StateDirectory()
        try Program(path: "mkdir", arguments: ["-p", state.path]).run().checked()
        try Database(path: state.path + "/news.db").query(
            """
            CREATE TABLE item (id INTEGER PRIMARY KEY, at INTEGER, gone INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
            INSERT INTO item SELECT i, unixepoch() - 8640000, 0 FROM n;
            """)
        file = try state.configuration(
            """
            [store.news]
            path = "news.db"
            [rule.items]
            table = "item"
            age_column = "at"
            keep = "30d"
            action = { set = { gone = 1 } }
            """)
    }

    private func said(_ arguments: String...) throws -> String {
        var program = state.pruned("--config", file)
        program.arguments = arguments + program.arguments
        return try program.run().output
    }

    @Test("no text says of a rule that marks that it deletes")
    func words() throws {
        #expect(try said("plan").contains(": a run would mark 0 rows\n"))
        #expect(try said("--run-now", "--dry-run").contains(": would mark 0 rows, "))
        #expect(try said("--run-now").contains(#/: held, 0 rows marked .*\n\nrule +outcome +marked /#))
        #expect(try said("status").contains(#/\nrule +last run +marked /#))
        #expect(try said("--run-now", "--confirm", "items").contains(": done, 1,500 rows marked "))
        #expect(try said("history").contains("1,500 rows of 1,500 may be marked, with a cutoff on "))
    }

    @Test("the commands in the plan of a rule that no run has held mark its rows, one after the other")
    func steps() throws {
        let plan = try said("plan").replacing(#/ \\\n +/#, with: " ").split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let steps = #/ to mark these rows, once: `([^`]+)` without a service, then `([^`]+)` /#
        let commands = try #require(plan.firstMatch(of: steps), "\(plan)").output
        let programs = (Program.pruned.path as NSString).deletingLastPathComponent
        for command in [commands.1 + " --yes", commands.2] {
            var shell = Program(path: "sh", arguments: ["-c", String(command)])
            shell.environment["PATH"] = "\(programs):/usr/bin:/bin"
            try shell.run().checked()
        }
        let app = Database(path: state.path + "/news.db")
        #expect(try app.count("SELECT sum(gone) FROM item") == 1_500)
    }
}
