import TestSupport
import Foundation
import Testing

/// The screens that show how rules stand: what a person must look at catches the eye.
@Suite struct ColourTests {
    private let state: StateDirectory
    private let file: String
    private static let yellow = "\u{1B}[33mheld\u{1B}[0m"
    private static let red = "\u{1B}[31m"

    /// One rule is held, one fails, and one is done.
    init() throws {
        state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        try state.store.query("CREATE TABLE odd (id INTEGER PRIMARY KEY, at INTEGER)")
        try state.store.query("INSERT INTO odd (at) SELECT 1700000000000 FROM read_record LIMIT 500")
        file = try state.readRecordsFile(
            """
            [rule.odd]
            table = "odd"
            age_column = "at"
            keep = "30d"
            [rule.items]
            table = "item"
            age_column = "timestamp"
            keep = "30d"
            """)
        #expect(try state.pruned("--run-now", "--config", file).run().status == 1)
    }

    private func program(_ command: String, _ more: [String] = []) -> Program {
        var program = state.pruned("--config", file)
        program.arguments = [command] + more + program.arguments
        return program
    }

    private func onTerminal(
        _ command: String, _ more: [String] = [], environment: [String: String] = [:]
    ) throws -> String {
        let line = program(command, more).line.joined(separator: " ") + " 2>/dev/null"
        var terminal = Program(path: "script", arguments: ["-qec", line, "/dev/null"])
        terminal.environment = environment
        return try terminal.run().output.replacing("\r\u{1B}[K", with: "").replacing("\r\n", with: "\n")
    }

    private func plain(_ text: String) -> String { text.replacing(#/\u{1B}\[\d*m/#, with: "") }

    @Test(
        "what is held is yellow, what failed red, what is done plain, and a header bold",
        arguments: ["status", "history", "--run-now"])
    func states(command: String) throws {
        let shown = try onTerminal(command)
        #expect(shown.contains(Self.yellow), "\(shown)")
        #expect(shown.contains("\(Self.red)failed\u{1B}[0m"), "\(shown)")
        #expect(shown.contains("\u{1B}[1mdeleted\u{1B}[0m"), "\(shown)")
        #expect(!shown.contains("mdone"), "\(shown)")
    }

    @Test("check shows in red what is wrong")
    func check() throws {
        let shown = try onTerminal("check")
        #expect(shown.contains("\(Self.red)WRONG\u{1B}[0m: odd.at over 30d"), "\(shown)")
        #expect(!shown.contains("mok"), "\(shown)")
    }

    @Test("colours move nothing", arguments: ["status", "check", "history"])
    func columns(command: String) throws {
        let coloured = try onTerminal(command)
        #expect(coloured.contains("\u{1B}["))
        #expect(plain(coloured) == (try onTerminal(command, ["--color", "never"])))
    }

    @Test(
        "NO_COLOR and --color never are honoured, and a pipe gets colours only if told so",
        arguments: ["status", "history", "check", "--run-now"])
    func without(command: String) throws {
        #expect(try !onTerminal(command, ["--color", "never"]).contains("\u{1B}"))
        #expect(try !onTerminal(command, environment: ["NO_COLOR": "1"]).contains("\u{1B}"))
        #expect(try !program(command).run().output.contains("\u{1B}"))
        #expect(try program(command, ["--color", "always"]).run().output.contains(Self.red))
    }
}
