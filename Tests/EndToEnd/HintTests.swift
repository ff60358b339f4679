import TestSupport
import Foundation
import Testing

/// What goes wrong is said in one line, and what to do about it stands in a second: for a service manager, which takes a
/// line for a message, behind a semicolon.
@Suite struct HintTests {
    /// Something that people meet.
    enum Trouble: String, CaseIterable {
        case unknownOption, unknownRule, missingConfiguration, wrongValue, configurationOfOthers, misfit
        case damagedStore, linkedStore, stateIsFile, held
        case ledgerIsDirectory, ledgerIsLink, ledgerIsNone
        case metricsNowhere, metricsForeign, notHeld, unknownRun
        case noRightsToHistory, noRightsToStatus, noRightsToConfirm

        fileprivate static let rule = "table = \"item\"\nage_column = \"timestamp\"\n"
        private static let policy =
            "[store.s]\npath = \"shared/reader.sqlite\"\n[rule.r]\n" + rule + "keep = \"100d\"\n"

        /// A program that meets it.
        func program(on state: StateDirectory) throws -> Program {
            switch self {
            case .unknownOption: return state.pruned("--nonsense")
            case .unknownRule: return state.pruned("--run-now", "--rule", "nope")
            case .missingConfiguration: return state.pruned("check", "--config", "/nowhere/pruned.toml")
            case .wrongValue:
                return try configured(state, Self.policy.replacing("\"100d\"", with: "30"), "--run-now")
            case .configurationOfOthers:
                let program = try configured(state, Self.policy, "--run-now")
                chmod(state.sandbox.path + "/pruned.toml", 0o666)
                return program
            case .misfit:
                return try configured(state, Self.policy.replacing("\"item\"", with: "\"itm\""), "--run-now")
            case .damagedStore:
                try Data("no database".utf8).write(to: URL(filePath: state.storePath))
                return state.pruned("--run-now", "--rule", "items")
            case .linkedStore:
                rename(state.storePath, state.path + "/real.sqlite")
                symlink("real.sqlite", state.storePath)
                return try configured(state, Self.policy, "check")
            case .stateIsFile:
                var program = state.pruned("--run-now")
                program.arguments[2] = try state.sandbox.write("file", "")
                return program
            case .held:
                let all = Self.policy.replacing("100d", with: "1s") + "guard.min_rows = 1\n"
                return try configured(state, all, "--run-now")
            case .ledgerIsDirectory:
                mkdir(state.path + "/ledger", 0o755)
                mkdir(state.ledger.path, 0o755)
                return state.pruned("history")
            case .ledgerIsLink:
                symlink("/etc", state.path + "/ledger")
                return state.pruned("history")
            case .ledgerIsNone:
                mkdir(state.path + "/ledger", 0o755)
                try state.sandbox.write("state/ledger/state.sqlite", "no database")
                return state.pruned("--run-now")
            case .metricsNowhere:
                let metrics = "metrics_file = \"/nonexistent/pruned.prom\"\n"
                return try configured(state, metrics + Self.policy, "--run-now")
            case .metricsForeign:
                let file = try state.sandbox.write("other.prom", "another's")
                return try configured(state, "metrics_file = \"\(file)\"\n" + Self.policy, "check")
            case .notHeld: return state.pruned("confirm", "items")
            case .unknownRun: return state.pruned("restore", "20200101T000000Z-0000")
            case .noRightsToHistory: return try unprivileged(state, "history")
            case .noRightsToStatus: return try unprivileged(state, "status")
            case .noRightsToConfirm: return try unprivileged(state, "confirm", "items")
            }
        }

        private func configured(
            _ state: StateDirectory, _ text: String, _ command: String
        ) throws -> Program {
            state.pruned(command, "--config", try state.configuration(text))
        }

        private func unprivileged(_ state: StateDirectory, _ arguments: String...) throws -> Program {
            chmod(state.path, 0o700)
            var program = state.pruned()
            program.arguments = arguments + program.arguments
            return try AnotherUser.nobody.program(program, in: state.sandbox)
        }

        var needsRoot: Bool { rawValue.hasPrefix("noRights") }
    }

    private static let margin = "        "

    @Test(
        "on a terminal what to do begins a line, and lines are broken between words",
        arguments: Trouble.allCases)
    func terminal(trouble: Trouble) throws {
        guard geteuid() == 0 || !trouble.needsRoot else { return }
        let state = try StateDirectory.sampled(records: 1_000)
        let program = try trouble.program(on: state)
        let line = program.line.joined(separator: " ") + " > /dev/null"
        var terminal = Program(path: "script", arguments: ["-qec", line, "/dev/null"])
        terminal.environment = ["HOME": "/nonexistent"]
        let shown = try withExtendedLifetime(state) { try terminal.run() }
        let lines = shown.output.components(separatedBy: "\r\n").map {
            $0.components(separatedBy: "\r\u{1B}[K").last ?? ""
        }.filter { !$0.isEmpty }
        #expect(!lines.isEmpty && lines.first?.hasPrefix("pruned: ") == true, "\(shown)")
        for (line, next) in zip(lines, lines.dropFirst() + [""]) {
            #expect(
                line.hasPrefix("pruned: ") ? next.hasPrefix(Self.margin) : line.hasPrefix(Self.margin),
                "\(shown)")
            #expect(!line.drop { $0 == " " }.isEmpty)
            // A line is too long only by a word, or by a command that stays whole.
            let isWord = !line.dropFirst(8).contains(" ") || line.contains("`")
            #expect(line.count <= 80 || isWord, "\(shown)")
        }
    }

    @Test("for a service manager it stands behind the message, in one line", arguments: Trouble.allCases)
    func managed(trouble: Trouble) throws {
        guard geteuid() == 0 || !trouble.needsRoot else { return }
        let state = try StateDirectory.sampled(records: 1_000)
        var program = try trouble.program(on: state)
        program.environment["INVOCATION_ID"] = "1"
        let ended = try withExtendedLifetime(state) { try program.run() }
        let told = ended.errors.split(separator: "\n").filter { $0.hasPrefix("<3>") || $0.hasPrefix("<4>") }
        #expect(!told.isEmpty && told.allSatisfy { $0.contains("; ") }, "\(ended)")
        #expect(ended.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("<") }, "\(ended)")
    }

    @Test("a refused reload says what to do, on a terminal and to a service manager")
    func refusedReload() throws {
        let state = try StateDirectory.sampled(records: 10)
        let text = "[store.s]\npath = \"shared/reader.sqlite\"\n[rule.r]\n" + Trouble.rule
        let file = try state.configuration(text + "keep = \"30d\"\n")
        // Before the first service makes and removes files there.
        let copy = try state.copied()
        let plain = try state.pruned("--config", file).start()
        try eventually("ready") { plain.errors.contains("pruned: ready: ") }
        let managed = try Service(on: copy, arguments: ["--config", file])
        try managed.waitUntilReady()

        _ = try state.configuration(text + "kep = \"30d\"\n")
        let said = "configuration refused, the old one stays in force: \(file): rule.r.kep: unknown key"
        let hint = "did you mean \"keep\"?"
        plain.send(SIGHUP)
        try eventually("refused, to a person") {
            plain.errors.contains("pruned: error: \(said)\n        \(hint)\n")
        }
        managed.process.send(SIGHUP)
        try managed.hear { $0.contains("READY=1") }
        #expect(managed.process.errors.contains("<3>\(said); \(hint)\n"), "\(managed.process.errors)")
        plain.send(SIGTERM)
        #expect(try plain.wait().status == 0)
        try managed.stop()
    }
}
