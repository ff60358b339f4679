import Foundation
import TestSupport
import Testing

/// What the command line promises before any store is touched.
@Suite struct CommandLineTests {
    @Test("--version prints the version, which both programs have in common")
    func version() throws {
        let ended = try program("--version").run()
        #expect(ended.status == 0)
        #expect(ended.output.wholeMatch(of: /pruned \d+\.\d+\.\d+\n/) != nil, "\(ended)")
        var reader = Program.reader
        reader.arguments = ["--version"]
        #expect(try reader.run().output == ended.output.replacing("pruned", with: "reader"))
    }

    /// A program on a terminal, by `script`; what it says comes as output.
    private func onTerminal(_ program: Program, _ environment: [String: String] = [:]) -> Program {
        var terminal = Program(
            path: "script", arguments: ["-qec", program.line.joined(separator: " "), "/dev/null"])
        terminal.environment = environment
        return terminal
    }

    @Test(
        "on a terminal no command is a usage error that says what to type, and nothing is touched",
        arguments: ["", "< /dev/null", "| cat"])
    func bareOnATerminal(redirection: String) throws {
        let state = try StateDirectory.sampled(records: 100)
        let before = FileTree(state.sandbox.path)
        var program = state.pruned()
        program.arguments.append(redirection)
        // A terminal of a desktop has the variables of the unit that it is part of.
        let ended = try onTerminal(program, ["INVOCATION_ID": "1", "JOURNAL_STREAM": "8:1"]).run(seconds: 20)
        #expect(ended.status == (redirection.hasPrefix("|") ? 0 : 64), "\(ended)")
        for command in ["plan", "--run-now", "serve"] {
            #expect(ended.output.contains(" --state-dir \(state.path) \(command)`"), "\(ended)")
        }
        #expect(FileTree(state.sandbox.path) == before)
    }

    @Test(
        "it serves there when it is told to, by a person or by a service manager", arguments: [true, false])
    func servesOnATerminal(isTyped: Bool) throws {
        let state = try StateDirectory.sampled(records: 100)
        let socket = try NotifySocket()
        let program = isTyped ? state.pruned("serve") : state.pruned()
        let terminal = onTerminal(program, isTyped ? [:] : ["NOTIFY_SOCKET": socket.path])
        let running = try terminal.start()
        try eventually("ready") { running.output.contains("ready: ") }
        running.send(SIGTERM)
    }

    @Test(
        "of a command that is mistyped the nearest is said",
        arguments: [
            ("statsu", "status"), ("chck", "check"), ("chekc", "check"), ("hepp", "help"),
            ("run-now", "--run-now"), ("run", "--run-now"), ("runnow", "--run-now"),
        ])
    func nearestCommand(typed: String, meant: String) throws {
        let ended = try program(typed).run()
        #expect(ended.status == 64 && ended.errors.contains("Did you mean 'pruned \(meant)'?"), "\(ended)")
        #expect(ended.errors.split(separator: "\n").count == 2, "\(ended)")
    }

    @Test(
        "help has examples, and each is a command line that the program understands",
        arguments: [[], ["check"], ["plan"], ["history"], ["restore"]])
    func examples(command: [String]) throws {
        let help = try program(command + ["--help"]).run().checked().output
        let lines = help.split(separator: "\n").drop { $0 != "Examples:" }.dropFirst()
            .prefix { $0.hasPrefix("  pruned ") }
        #expect(lines.count >= 3, "\(help)")
        for line in lines {
            let typed = line.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
            let words = typed.replacing(#/ {2,}.*/#, with: "").split(separator: " ").dropFirst()
            // Each fails before it looks at any store: there is no such configuration.
            let ended = try program(words.map(String.init) + ["--config", "/nonexistent"]).run()
            #expect(ended.status != 64, "\(ended)")
        }
    }

    @Test(
        "where the command line cannot be read, nothing is served, run or printed",
        arguments: ["pruned", "reader"])
    func withoutProc(name: String) throws {
        var program: Program = name == "pruned" ? .pruned : .reader
        program.arguments = ["--version"]
        program.prefix = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"]
        let ended = try program.run(seconds: 10)
        #expect(ended.status == 74 && ended.output.isEmpty, "\(ended)")
        #expect(ended.errors.contains("cannot read the command line"), "\(ended)")
    }

    @Test("--help names every option and every exit status")
    func help() throws {
        let ended = try program("--help").run()
        #expect(ended.status == 0)
        let words = ended.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        for option in [
            "--run-now", "--rule <name>", "--dry-run", "--confirm <name>", "--json", "--config <file>",
            "--state-dir <dir>",
            "--version", "check", "confirm",
        ] {
            #expect(words.contains(option), "\(option)")
        }
        for status in [
            "0 done", "1 a rule failed", "3 a rule is held", "64 usage",
            "65 store damaged or not a database", "74 input/output", "75 store busy", "78 configuration",
        ] {
            #expect(words.contains(status), "\(status)")
        }
    }

    @Test(
        "what the command line cannot mean is said in one line, and what to do in a second",
        arguments: [["--nonsense"], ["plan", "--rulez"], ["history", "--since", "never"], ["confirm"]])
    func usageInTwoLines(arguments: [String]) throws {
        let ended = try program(arguments).run()
        let lines = ended.errors.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(ended.status == 64 && ended.output.isEmpty && lines.count == 3, "\(ended)")
        #expect(lines[0].hasPrefix("pruned: ") && lines[1].hasPrefix("        See 'pruned "), "\(ended)")
    }

    @Test(
        "what is not a command line is a usage error and touches nothing",
        arguments: [
            ["--nonsense"], ["nonsense"], ["--run-now", "nonsense"], ["--run-now", "--rule"],
            ["--rule", "timeline"], ["--dry-run"], ["--json"], ["check", "--run-now"],
            ["--run-now", "check"],
            ["check", "--json"], ["--config"], ["--run-now", "--config", ""],
            ["--run-now", "--state-dir", ""],
            ["--run-now", "--rule", ""], ["--run-now", "--rule", "nonsense"],
            ["--run-now", "--rule", "timeline", "--rule", "Timeline"],
        ])
    func usageErrors(arguments: [String]) throws {
        let sandbox = try Sandbox()
        var program = Program.pruned
        program.arguments = arguments
        program.directory = sandbox.path
        program.environment = ["STATE_DIRECTORY": sandbox.path + "/state"]
        let ended = try program.run(seconds: 10)
        #expect(ended.status == 64, "\(ended)")
        #expect(ended.output.isEmpty)
        #expect(!ended.errors.isEmpty)
        #expect(FileTree(sandbox.path).names.isEmpty)
    }

    @Test(
        "an option that a command does not have is named",
        arguments: [("check", "--json"), ("plan", "--dry-run")])
    func foreignOption(command: String, option: String) throws {
        let ended = try program([command, option]).run()
        #expect(ended.errors.hasPrefix("pruned: \(command) cannot be combined with \(option).\n"), "\(ended)")
    }

    @Test("an unknown rule is named, and so are the rules that there are")
    func unknownRule() throws {
        let state = try StateDirectory()
        let ended = try state.pruned("--run-now", "--rule", "time\nline").run()
        #expect(ended.status == 64)
        #expect(
            ended.errors == """
                pruned: there is no rule "time\\nline"
                        the rules are feed-cache, items, timeline, read-records, users

                """)
    }

    @Test("without a state directory option the environment names it")
    func environmentNamesTheStateDirectory() throws {
        let sandbox = try Sandbox()
        let home = sandbox.path
        for (environment, expected) in [
            (["STATE_DIRECTORY": home + "/s", "XDG_STATE_HOME": home + "/x"], home + "/s"),
            (["STATE_DIRECTORY": home + "/s:" + home + "/t"], home + "/s"),
            (["STATE_DIRECTORY": "", "XDG_STATE_HOME": home + "/x", "HOME": home], home + "/x/pruned"),
            (["XDG_STATE_HOME": "relative", "HOME": home], home + "/.local/state/pruned"),
            (["HOME": home], home + "/.local/state/pruned"),
        ] {
            var program = try AnotherUser.nobody.program(.pruned, in: sandbox)
            program.arguments = ["status", "--json"]
            program.environment = environment
            let ended = try program.run()
            let path = expected.replacing("/", with: "\\/")
            #expect(
                ended.output.contains("\"\(expected)\"") || ended.output.contains("\"\(path)\""),
                "\(environment) \(ended)")
        }
    }

    @Test(
        "the state directory may have any name",
        arguments: [
            "with spaces", "übergrößé 漢字 🗂", "a?mode=ro&x=1", "100%41", "a#b", "file:x", "it's \"quoted\"",
            "trailing/", "two//slashes", "semi;colon$HOME`id`", "line\nbreak",
        ])
    func anyName(name: String) throws {
        let state = try StateDirectory.sampled(name)
        let ended = try state.runNow.run()
        #expect(ended.status == 0, "\(ended)")
        #expect(try ended.report()["read-records"]?.deleted ?? 0 > 0)
        #expect(try state.pruned("check").run().status == 0)
        #expect(FileTree(state.sandbox.path).names.filter { $0.hasSuffix("reader.sqlite") }.count == 1)
    }

    @Test(
        "a relative state directory starts at the current one",
        arguments: ["state", "./state", "../up/state", "."])
    func relativeStateDirectory(name: String) throws {
        let sandbox = try Sandbox()
        let directory = try sandbox.makeDirectory("up")
        var reader = Program.reader
        reader.arguments = ["sample", "--state-dir", name, "--records", "100"]
        reader.directory = directory
        try reader.run().checked()
        var program = Program.pruned
        program.arguments = ["--run-now", "--json", "--state-dir", name]
        program.directory = directory
        let ended = try program.run()
        #expect(ended.status == 0, "\(ended)")
        #expect(try ended.report()["read-records"]?.deleted == 40)
    }

    @Test("the common options may stand before and after the command", arguments: [true, false])
    func commonOptionsAnywhere(before: Bool) throws {
        let state = try StateDirectory.sampled(records: 10)
        let file = try state.configuration(
            "store.s.path = \"shared/reader.sqlite\"\nrule.only = { table = \"item\", age_column = \"timestamp\", keep = \"1y\" }"
        )
        let options = ["--config", file, "--state-dir", state.path]
        var program = Program.pruned
        program.arguments = before ? options + ["check"] : ["check"] + options
        program.environment = ["STATE_DIRECTORY": "/nowhere"]
        let ended = try program.run()
        #expect(ended.status == 0, "\(ended)")
        #expect(ended.output.contains("ok: \(state.storePath)\n"), "\(ended)")
        #expect(ended.output.contains("rule only"), "\(ended)")
    }

    private func program(_ arguments: String...) -> Program { program(arguments) }

    private func program(_ arguments: [String]) -> Program {
        var program = Program.pruned
        program.arguments = arguments
        return program
    }
}
