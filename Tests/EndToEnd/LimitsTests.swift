import Foundation
import Testing

/// What a rule's own limits prevent, through the programs.
@Suite struct LimitsTests {
    /// A store `log.sqlite` in a new state directory, with rows of the last 100 days, in the unit of which `perSecond` make
    /// a second.
    private func log(perSecond: Int = 1) throws -> (state: StateDirectory, log: Database) {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        let log = Database(path: state.path + "/log.sqlite")
        try log.query(
            """
            CREATE TABLE log (id INTEGER PRIMARY KEY, at INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO log SELECT i, (unixepoch() - 86400 * (i / 20) - 60) * \(perSecond) FROM n;
            """)
        return (state, log)
    }

    private func configuration(_ rule: String) -> String {
        "store.log.path = \"log.sqlite\"\nrule.log = { table = \"log\", \(rule), guard = { max_share = 1 } }\n"
    }

    @Test(
        "a period of 0 took the whole table: it is refused",
        arguments: ["\"0d\"", "0", "\"0s\"", "\"0d 0h\"", "\"\""])
    func periodOfZero(keep: String) throws {
        let (state, log) = try log()
        let ended = try state.runNow(configuration: configuration("age_column = \"at\", keep = \(keep)"))
            .run()
        #expect(ended.status == 78, "\(ended)")
        #expect(ended.errors.contains("rule.log.keep = \(keep): "), "\(ended)")
        #expect(try log.count("SELECT count(*) FROM log") == 2_000)
    }

    @Test(
        "milliseconds read as seconds took the whole table, and seconds read as milliseconds: the rule fails",
        arguments: [("ms", 1_000, "s"), ("s", 1, "ms"), ("us", 1_000_000, "s"), ("ns", 1_000_000_000, "us")])
    func wrongUnit(unit: String, perSecond: Int, read: String) throws {
        let (state, log) = try log(perSecond: perSecond)
        let names = [
            "s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds",
        ]
        let hint = "these are \(names[unit] ?? ""); write unit = \"\(unit)\""
        let rule = "age_column = \"at\", keep = \"30d\", unit = "
        for arguments in [[], ["--dry-run"]] {
            var program = try state.runNow(configuration: configuration(rule + "\"\(read)\""))
            program.arguments += arguments
            let ended = try program.run()
            #expect(ended.status == 1, "\(ended)")
            let report = try #require(try ended.report()["log"])
            #expect(report.outcome == "failed")
            #expect(
                report.reason?.contains("log.at cannot be times in \(names[read] ?? "")") == true, "\(ended)")
            #expect(report.hint == hint)
        }
        let check = try state.pruned("check", "--config", state.sandbox.path + "/pruned.toml").run()
        #expect(check.status == 1, "\(check)")
        #expect(check.errors.contains(hint), "\(check)")
        #expect(try log.count("SELECT count(*) FROM log") == 2_000)

        // As advised.
        let ended = try state.runNow(configuration: configuration(rule + "\"\(unit)\"")).run()
        #expect(ended.status == 0, "\(ended)")
        #expect(try log.count("SELECT count(*) FROM log") == 599)
    }

    @Test("deleted records came back as unread: a keep that the source outlives is refused")
    func sourceWindow() throws {
        let (state, log) = try log()
        let rule = "age_column = \"at\", source_window = \"14d\", keep = "
        for keep in ["14d", "2w", "1d"] {
            let ended = try state.runNow(configuration: configuration(rule + "\"\(keep)\"")).run()
            #expect(ended.status == 78, "\(ended)")
            #expect(ended.errors.contains("rule.log.source_window = \"14d\": keep = \"\(keep)\""), "\(ended)")
            #expect(ended.errors.contains("would come back as unread"), "\(ended)")
            #expect(try log.count("SELECT count(*) FROM log") == 2_000)
        }
        let ended = try state.runNow(configuration: configuration(rule + "\"15d\"")).run()
        #expect(ended.status == 0, "\(ended)")
        #expect(try log.count("SELECT count(*) FROM log") == 299)
    }

    @Test("the newest rows stay when all have expired", arguments: ["walk", "index"])
    func keepLast(plan: String) throws {
        let (state, log) = try log()
        try log.query("UPDATE log SET at = at - 86400 * 400; CREATE INDEX log_at ON log (at)")
        for (keepLast, left) in [(2_001, 2_000), (2_000, 2_000), (1_990, 1_999), (1_970, 1_979), (1, 19)] {
            var program = try state.runNow(
                configuration: configuration("age_column = \"at\", keep = \"30d\", keep_last = \(keepLast)"))
            program.arguments += ["--access-path", plan]
            let ended = try program.run()
            #expect(ended.status == 0, "\(ended)")
            #expect(try log.count("SELECT count(*) FROM log") == left)
            #expect(try log.count("SELECT count(*) FROM log WHERE id <= \(left)") == left)
        }
        let check = try state.pruned("check", "--config", state.sandbox.path + "/pruned.toml").run()
        #expect(check.status == 0, "\(check)")
        #expect(check.output.contains("the newest 1 stay"), "\(check)")
    }
}
