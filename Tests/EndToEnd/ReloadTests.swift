import TestSupport
import Foundation
import Testing

/// What `systemctl reload` calls: it ends as the reload does.
@Suite(.serialized) struct ReloadTests {
    private let state: StateDirectory
    private let service: Service

    init() throws {
        state = try StateDirectory.sampled(records: 10)
        let file = try state.configuration(Self.policy)
        service = try Service(on: state, arguments: ["--config", file])
        try service.waitForFirstRun()
    }

    private static let policy = """
        store.reader.path = "shared/reader.sqlite"
        rule.only = { table = "item", age_column = "timestamp", keep = "100y" }
        """

    private func reload(_ process: pid_t? = nil) throws -> EndedProgram {
        var program = state.pruned("reload")
        program.environment["MAINPID"] = "\(process ?? service.process.processID)"
        return try program.run()
    }

    @Test("a configuration that is taken is a success, without a word")
    func taken() throws {
        _ = try state.configuration(Self.policy.replacing("100y", with: "200y"))
        let ended = try reload()
        #expect(ended.status == 0 && ended.output.isEmpty && ended.errors.isEmpty, "\(ended)")
        #expect(service.process.errors.contains("configuration read again"))
    }

    @Test("one that is refused fails with the reason; what was answered before counts for nothing")
    func refused() throws {
        #expect(try reload().status == 0)
        let file = try state.configuration(Self.policy.replacing("keep", with: "keeep"))
        let ended = try reload()
        #expect(ended.status == 78, "\(ended)")
        #expect(
            ended.errors.hasPrefix("pruned: reload refused: \(file): rule.only.keeep: unknown key\n"),
            "\(ended)")
        #expect(ended.errors.contains("did you mean \"keep\"?"), "\(ended)")
        _ = try state.configuration(Self.policy)
        #expect(try reload().status == 0)
        _ = try state.configuration(Self.policy.replacing("timestamp", with: "nonsense"))
        #expect(try reload().status == 0, "a misfit is the failure of its rule alone")
        try eventually("the rule fails") {
            service.process.errors.contains("only: failed: ") && service.process.errors.contains("nonsense")
        }
    }

    @Test("an answer that an earlier boot has left is none")
    func earlierBoot() throws {
        let left =
            "{\"process\":\(service.process.processID),\"began\":900000000000000,\"status\":0,\"reasons\":[]}"
        try state.ledger.query("REPLACE INTO document VALUES ('reload', '\(left)')")
        _ = try state.configuration("nonsense")
        #expect(try reload().status == 78)
    }

    @Test("a service that ends instead of answering is a failure")
    func ended() throws {
        let other = try Program(path: "sleep", arguments: ["600"]).start()
        let ended = try reload(other.processID)
        #expect(ended.status == 74, "\(ended)")
        #expect(ended.errors.contains("process \(other.processID) ended"), "\(ended)")
        #expect(try reload(other.processID).errors.contains("cannot send SIGHUP to process"))
    }

    @Test("without the service's process it says who knows that")
    func withoutProcess() throws {
        let ended = try state.pruned("reload").run()
        #expect(ended.status == 64 && ended.errors.contains("systemctl"), "\(ended)")
        #expect(try reload(1).status == 64)
    }

    @Test("the metrics tell whether the configuration is in force")
    func metrics() throws {
        let path = try state.sandbox.makeDirectory("collector") + "/pruned.prom"
        _ = try state.configuration("metrics_file = \"\(path)\"\n" + Self.policy)
        let isInForce = { try MetricsReading(path)["pruned_config_ok"] }
        #expect(try reload().status == 0)
        #expect(try isInForce() == 1)
        _ = try state.configuration("nonsense")
        #expect(try reload().status == 78)
        #expect(try isInForce() == 0)
        // A run by hand reads one of its own, and says nothing of the service's.
        let other = try state.configuration("metrics_file = \"\(path)\"\n" + Self.policy, name: "other.toml")
        try state.pruned("--run-now", "--config", other).run().checked()
        #expect(try isInForce() == 0)
        try service.stop()
        try state.pruned("--run-now", "--config", other).run().checked()
        #expect(try isInForce() == 1)
    }
}
