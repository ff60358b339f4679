import TestSupport
import Foundation
import Testing

/// The commands that pruned tells people to type to their systemd.
@Suite(.enabled(if: geteuid() == 0)) struct ServiceControlTests {
    /// A state directory with a hold, and the configuration of its rule.
    private func held() throws -> (state: StateDirectory, file: String) {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        let file = try state.readRecordsFile()
        #expect(try state.pruned("--run-now", "--config", file).run().status == 3)
        return (state, file)
    }

    /// A service of a version that knows no confirmation, and does not record its process for one.
    private func oldService(on state: StateDirectory) throws -> Service {
        let service = try Service(on: state)
        try service.waitForFirstRun()
        try state.ledger.query("DELETE FROM document WHERE name = 'service'")
        return service
    }

    private func give(_ state: StateDirectory, to user: AnotherUser) throws {
        for path in try FileManager.default.subpathsOfDirectory(atPath: state.path) {
            let mode: mode_t = path == "ledger" ? 0o750 : path.hasPrefix("ledger/") ? 0o640 : 0o660
            try user.own(state.path + "/" + path, mode: mode)
        }
        try user.own(state.path, mode: 0o770)
    }

    @Test("root's store has the system's service")
    func system() throws {
        let (state, file) = try held()
        let service = try oldService(on: state)
        defer { withExtendedLifetime(service) {} }
        let ended = try state.pruned("confirm", "only", "--config", file).run().checked()
        #expect(ended.output.contains("`systemctl kill --signal=USR1 pruned`"), "\(ended)")
        let defaults = try state.pruned("check", "--defaults").run().checked()
        #expect(defaults.output.contains("pruned check && systemctl reload pruned\n"))
    }

    @Test("who calls sudo is told to do so again")
    func bySudo() throws {
        let (state, file) = try held()
        var program = state.pruned("confirm", "only", "--config", file)
        let service = try oldService(on: state)
        defer { withExtendedLifetime(service) {} }
        program.environment["SUDO_USER"] = "alice"
        let ended = try program.run().checked()
        #expect(ended.output.contains("`sudo systemctl kill --signal=USR1 pruned`"), "\(ended)")
    }

    @Test("a user's own store has a service of that user's systemd")
    func user() throws {
        let (state, file) = try held()
        let service = try Service(on: state)
        try service.waitForFirstRun()
        try give(state, to: .nobody)
        let program = state.pruned("confirm", "only", "--config", file)
        let ended = try AnotherUser.nobody.program(program, in: state.sandbox).run().checked()
        #expect(ended.output.contains("`systemctl --user kill --signal=USR1 pruned`"), "\(ended)")
        let defaults = state.pruned("check", "--defaults")
        let shown = try AnotherUser.nobody.program(defaults, in: state.sandbox).run().checked()
        #expect(shown.output.contains("pruned check && systemctl --user reload pruned\n"))
    }

    @Test("where no service runs, a confirmation is for the next run, and no service is told anything")
    func noService() throws {
        let (state, file) = try held()
        let ended = try state.pruned("confirm", "only", "--config", file).run().checked()
        // As a shell reads them, the lines are one.
        let said = ended.output.replacing(#/\s+(\\\n\s+)?/#, with: " ")
        #expect(said.contains("no service runs on \(state.path); the next run takes it"), "\(ended)")
        #expect(!ended.output.contains("systemctl") && !ended.output.contains("ten minutes"), "\(ended)")
        let command = try #require(said.firstMatch(of: /for example `pruned ([^`]+)`/)?.output.1)
        var shell = Program(path: "sh", arguments: ["-ec", "\(Program.pruned.path) \(command)"])
        shell.environment["PATH"] = "/usr/bin:/bin"
        try shell.run().checked()
        #expect(try state.records == 100)
    }

    @Test("root is told to ask that user's systemd, and not root's own")
    func rootOnAUsersStore() throws {
        let (state, file) = try held()
        let service = try Service(on: state)
        try service.waitForFirstRun()
        try give(state, to: .nobody)
        let ended = try state.pruned("confirm", "only", "--config", file).run().checked()
        #expect(
            ended.output.contains("`systemctl --user --machine=nobody@ kill --signal=USR1 pruned`"),
            "\(ended)")
    }
}
