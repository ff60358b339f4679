import TestSupport
import Foundation
import Testing

/// Whom the shipped alerts wake up, asked over the metrics files of real runs.
@Suite(.enabled(if: MetricsReading.hasPromtool, "needs promtool, of the package prometheus"))
struct AlertTests {
    private typealias Alert = Prometheus.Alert

    private let state: StateDirectory
    private var path: String { state.sandbox.path + "/pruned.prom" }

    init() throws {
        state = try StateDirectory.sampled(records: 1_000)
    }

    /// Two rules, one of which archives; `more` are keys of `items`.
    private func configuration(
        keep: String = "183d", _ more: String = "", top: String = "guard.max_share = 1"
    ) throws -> String {
        try state.configuration(
            """
            metrics_file = "\(path)"
            \(top)
            store.reader.path = "shared/reader.sqlite"
            [rule.items]
            table = "item"
            age_column = "timestamp"
            keep = "\(keep)"
            \(more)
            [rule.read-records]
            table = "read_record"
            age_column = "created_at"
            keep = "30d"
            archive = true
            """)
    }

    private func run(_ configuration: String, _ options: String...) throws -> EndedProgram {
        var program = state.pruned("--run-now", "--config", configuration)
        program.arguments += options
        return try program.run()
    }

    private func expect(
        _ alerts: Set<Alert>, after hours: Int = 3, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let complaints = try Prometheus(path, in: state.sandbox).complaints(ofAlerts: alerts, after: hours)
        #expect(complaints == "", sourceLocation: location)
    }

    @Test("Prometheus takes the rules")
    func syntax() throws {
        let check = Program(path: "promtool", arguments: ["check", "rules", Prometheus.rulesFile])
        #expect(try check.run().checked().output.contains("SUCCESS"))
    }

    @Test(
        "nobody is woken up while runs end well; that none comes any more is one alert, not one for each rule"
    )
    func stale() throws {
        try run(configuration()).checked()
        try expect([])
        try expect([], after: 25)
        try expect([Alert(name: "PrunedMetricsStale")], after: 49)
    }

    @Test("a rule that fails, and never worked, is told from the one that works")
    func failed() throws {
        try state.store.query(
            "CREATE TRIGGER never BEFORE DELETE ON item BEGIN SELECT RAISE(ABORT, 'never'); END")
        #expect(try run(configuration()).status == 1)
        try expect([
            Alert(name: "PrunedRuleFailed", rule: "items"), Alert(name: "PrunedRuleOverdue", rule: "items"),
        ])
        try state.store.query("DROP TRIGGER never")
        try run(configuration()).checked()
        try expect([])
    }

    @Test("a rule that was left out by every run so far is overdue")
    func neverRun() throws {
        try run(configuration(), "--rule", "items").checked()
        try expect([Alert(name: "PrunedRuleOverdue", rule: "read-records")])
    }

    @Test("what is held waits for a person, who is told so once")
    func held() throws {
        let file = try configuration(keep: "1d", "guard.max_share = 0.5\nguard.min_rows = 1")
        #expect(try run(file).status == 3)
        try expect([Alert(name: "PrunedRuleHeld", rule: "items")])
        try run(file, "--confirm", "items").checked()
        try expect([])
    }

    @Test(
        "a clock that is not believed is one alert, whatever time it says", .fakingTime,
        arguments: ["+20y", "-3y"])
    func clock(offset: String) throws {
        let file = try configuration()
        try run(file).checked()
        let program = state.pruned("--run-now", "--config", file)
        #expect(try FakeClock(offset: offset, in: state.sandbox).applied(to: program).run().status == 3)
        // To a clock that is right what one wrote that is years behind is as old.
        let behind: Set = offset.hasPrefix("-") ? [Alert(name: "PrunedMetricsStale")] : []
        try expect(behind.union([Alert(name: "PrunedClockNotBelieved")]))
    }

    @Test("a configuration that is refused is told: at a reload, at a start, and by a run of the timer's")
    func refused() throws {
        let good = try configuration()
        let service = try Service(on: state, arguments: ["--config", good])
        try service.waitForFirstRun()
        try expect([])
        _ = try configuration(keep: "0d")
        service.process.send(SIGHUP)
        try service.hear { $0.contains("READY=1") }
        try expect([Alert(name: "PrunedConfigurationRefused")])
        try service.stop()

        _ = try configuration("every = \"1h\"")
        try run(good).checked()
        try expect([])
        let text = try String(contentsOfFile: good, encoding: .utf8)
        let misfit = try state.configuration(text.replacing("\"item\"", with: "\"itm\""))
        #expect(try run(misfit).status == 1)
        // On another table it is another rule, which never ran.
        try expect([
            Alert(name: "PrunedRuleFailed", rule: "items"), Alert(name: "PrunedRuleOverdue", rule: "items"),
        ])
    }

    @Test("a service that ends at its first start leaves a file by which that is told all the same")
    func neverWorked() throws {
        let file = try configuration()
        try Data("no database".utf8).write(to: URL(filePath: state.storePath))
        #expect(try state.pruned("--config", file).run().status == 65)
        try expect(Set(["items", "read-records"].map { Alert(name: "PrunedRuleOverdue", rule: $0) }))
    }

    @Test(
        "a configuration that cannot be read is told in the file that was written last, where no service says otherwise",
        arguments: [true, false])
    func unreadable(isService: Bool) throws {
        let file = try configuration()
        let good = try String(contentsOfFile: file, encoding: .utf8)
        try run(file).checked()
        try expect([])
        let before = try String(contentsOfFile: path, encoding: .utf8)
        _ = try state.configuration("metrics_file = ")
        #expect(try run(file, "--dry-run").status == 78)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == before)
        let program = isService ? state.pruned("--config", file) : state.pruned("--run-now", "--config", file)
        #expect(try program.run().status == 78)
        try expect([Alert(name: "PrunedConfigurationRefused")])
        let after = try String(contentsOfFile: path, encoding: .utf8)
        #expect(after == before.replacing("pruned_config_ok 1\n", with: "pruned_config_ok 0\n"))

        _ = try state.configuration(good)
        let service = try Service(on: state, arguments: ["--config", file])
        try service.waitUntilReady()
        try expect([])
        // Beside it a run by hand reads one of its own.
        let other = try state.configuration("metrics_file = ", name: "other.toml")
        #expect(try run(other).status == 78)
        try expect([])
        try service.stop()
    }

    @Test("only whom the state belongs to tells it", .root)
    func unreadableToAMember() throws {
        let (app, member) = (AnotherUser.app, AnotherUser(user: 4_713, group: 4_712))
        chmod(state.sandbox.path, 0o755)
        try state.give(to: app, mode: 0o2750)
        _ = try state.sandbox.makeDirectory("collector")
        try app.own(state.sandbox.path + "/collector", mode: 0o2775)
        let path = state.sandbox.path + "/collector/pruned.prom"
        let text = try String(contentsOfFile: configuration(), encoding: .utf8)
        let file = try state.configuration(text.replacing(self.path, with: path))
        try run(file).checked()
        let isInForce = { try MetricsReading(path)["pruned_config_ok"] }
        #expect(try isInForce() == 1)
        _ = try state.configuration("metrics_file = ")
        let program = state.pruned("--run-now", "--config", file)
        let other = try member.program(program, in: state.sandbox)
        chmod(state.sandbox.path, 0o755)
        #expect(try other.run().status == 78)
        #expect(try isInForce() == 1)
        // Root works as the owner.
        #expect(try program.run().status == 78)
        #expect(try isInForce() == 0)
    }

    @Test("an archive that is nearly full is told before it stops its rules")
    func archive() throws {
        try run(configuration()).checked()
        let bytes = try #require(try MetricsReading(path)["pruned_archive_bytes"])
        #expect(bytes > 0)
        try run(configuration(top: "archive.max_size = \"\(Int(bytes * 1.05))B\"\nguard.max_share = 1"))
            .checked()
        try expect([Alert(name: "PrunedArchiveNearlyFull")])
    }
}
