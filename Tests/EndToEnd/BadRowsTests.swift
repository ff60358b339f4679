import Foundation
import Testing

/// Rows whose time is none, in a table that was made by hand.
@Suite struct BadRowsTests {
    /// What stands in the time column, and whether a rule that keeps a day in seconds may delete it.
    private static let values = [
        ("NULL", false), ("'2001-01-01'", false), ("'1000000000'", false), ("1e9 + 0.5", false),
        ("x'3B9ACA00'", false),
        ("''", false), ("0", false), ("-1", false), ("946684799", false), ("unixepoch() * 1000", false),
        ("1000000000000", false), ("9223372036854775807", false), ("-9223372036854775808", false),
        ("1000000000", true), ("946684800", true), ("unixepoch() - 86400 * 2", true),
    ]
    /// Plausible, and not expired.
    private static let fresh =
        ["unixepoch()", "253402300799"] + (1...9).map { "unixepoch() + 86400 * \($0)" }

    @Test(
        "a row is kept unless its time proves that it has expired",
        arguments: ["", " PRIMARY KEY", " UNIQUE", " REFERENCES other (at)"],
        ["CREATE INDEX log_at ON log (at)", "CREATE INDEX log_day ON log (at / 86400)", ""])
    func badRows(constraint: String, index: String) throws {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        let log = Database(path: state.path + "/log.sqlite")
        let values = Self.values.map { ($0.0, $0.1 ? "expired" : "odd") } + Self.fresh.map { ($0, "fresh") }
        // Without a type, so that SQLite stores each value as it is.
        try log.query(
            """
            CREATE TABLE other (at UNIQUE);
            CREATE TABLE log (at\(constraint), state);
            \(index);
            \(values.map { "INSERT INTO log VALUES (\($0.0), '\($0.1)');" }.joined())
            """)
        let run = try state.runNow(
            configuration: """
                store.log.path = "log.sqlite"
                rule.log = { table = "log", age_column = "at", keep = "1d" }
                """)
        let ended = try run.run()
        #expect(ended.status == 0, "\(ended)")
        let rule = try #require(try ended.report()["log"])
        #expect(rule.expired == 3)
        #expect(rule.deleted == 3)
        #expect(rule.keptImplausible == Self.values.count - 3)
        #expect(try log.query("SELECT state, count(*) FROM log GROUP BY state") == "fresh|11\nodd|13")
        #expect(ended.errors.contains("13 rows of log stay"), "\(ended)")
        #expect(
            try log.query(
                "PRAGMA journal_mode; PRAGMA auto_vacuum; SELECT count(*) FROM sqlite_schema WHERE type = 'table'"
            ) == "delete\n0\n2")
    }

    @Test("what has no deadline never expires, and nobody is warned of it; a plan says how many they are")
    func never() throws {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        let log = Database(path: state.path + "/log.sqlite")
        try log.query(
            """
            CREATE TABLE log (at INTEGER);
            INSERT INTO log VALUES (NULL), (NULL), (unixepoch() - 5), (unixepoch() + 86400);
            """)
        let file = try state.configuration(
            """
            store.log.path = "log.sqlite"
            rule.log = { table = "log", expires_column = "at" }
            """)
        let plan = try state.pruned("plan", "--config", file).run().checked()
        #expect(plan.output.contains("  never    2 rows have no at and never expire\n"), "\(plan)")
        #expect(plan.output.contains("expired  1 of 4 rows") && !plan.output.contains("no such time"))
        let ended = try state.pruned("--run-now", "--config", file).run().checked()
        #expect(ended.errors.isEmpty && !ended.output.contains("rows stay"), "\(ended)")
        #expect(try log.query("SELECT count(*), count(at) FROM log") == "3|1")
    }

    @Test(
        "milliseconds, microseconds and nanoseconds are judged in their own unit",
        arguments: ["ms", "us", "ns"])
    func units(unit: String) throws {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        let log = Database(path: state.path + "/log.sqlite")
        let factor = ["ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000][unit] ?? 0
        try log.query(
            """
            CREATE TABLE log (at INTEGER, state TEXT);
            INSERT INTO log VALUES ((unixepoch() - 86402) * \(factor), 'expired'), (unixepoch() * \(factor), 'fresh'),
                ((unixepoch() - 86300) * \(factor), 'fresh'), (unixepoch() - 172800, 'seconds');
            """)
        let ended = try state.runNow(
            configuration: """
                store.log.path = "log.sqlite"
                rule.log = { table = "log", age_column = "at", keep = "1d", unit = "\(unit)" }
                """
        ).run()
        #expect(ended.status == 0, "\(ended)")
        #expect(try ended.report()["log"]?.keptImplausible == 1)
        #expect(try log.query("SELECT state, count(*) FROM log GROUP BY state") == "fresh|2\nseconds|1")
    }
}
