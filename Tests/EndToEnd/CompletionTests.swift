import TestSupport
import Foundation
import Testing

/// What shells offer for a command line that is being typed.
struct CompletionTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        for shell in ["bash", "zsh", "fish"] {
            for program in [Program.pruned, .reader] {
                var program = program
                program.arguments = ["--generate-completion-script", shell]
                let name = program.path.split(separator: "/").last ?? ""
                let file = shell == "zsh" ? "_\(name)" : "\(name).\(shell)"
                try sandbox.write(file, program.run().checked().output)
            }
        }
    }

    @Test(
        "bash completes options and commands, and no hidden ones",
        arguments: [
            "pruned --r": ["--run-now", "--rule"],
            "pruned ": [
                "--config", "--state-dir", "--verbose", "--run-now", "--rule", "--dry-run", "--json",
                "--confirm",
                "--trust-clock", "--version", "-h", "--help", "check", "plan", "confirm", "history",
                "restore", "help",
            ],
            "pruned re": ["restore"],
            "pruned --pl": [],
            "pruned --verbose history --l": ["--limit"],
            "reader lo": [],
            "reader timeline i": ["import"],
            "reader items delete --o": ["--older-than"],
        ])
    func words(line: String, expected: Set<String>) throws {
        let offered = Set(try completedByBash(line))
        // Where anything may stand, more comes with time.
        #expect(line.hasSuffix(" ") ? offered.isSuperset(of: expected) : offered == expected, "\(offered)")
        #expect(offered.isDisjoint(with: ["--access-path", "load"]))
    }

    @Test("a rule is completed from the configuration that the line names")
    func rules() throws {
        let file = try held().file
        for line in ["--run-now --rule ", "plan --rule ", "history --rule ", "restore x --rule "] {
            #expect(try completedByBash("pruned --config \(file) \(line)") == ["big", "small"], "\(line)")
            #expect(try completedByBash("pruned --config \(file) \(line)s") == ["small"], "\(line)")
        }
        #expect(try completedByBash("pruned --config /nowhere plan --rule ") == [])
    }

    @Test("what may be confirmed are the rules that are held")
    func heldRules() throws {
        let (state, file) = try held()
        let options = "--config \(file) --state-dir \(state.path)"
        #expect(try completedByBash("pruned \(options) confirm ") == ["big"])
        #expect(try completedByBash("pruned \(options) --run-now --confirm ") == ["big"])
        withExtendedLifetime(state) {}  // and with it its directory
    }

    /// A state directory with a rule that is held and one that is not, and their configuration.
    private func held() throws -> (state: StateDirectory, file: String) {
        let state = try StateDirectory.holding(expired: 1_200, fresh: 100)
        let file = try sandbox.write(
            "pruned.toml",
            """
            [store.s]
            path = "shared/reader.sqlite"
            [rule.big]
            table = "read_record"
            age_column = "created_at"
            keep = "30d"
            [rule.small]
            table = "item"
            age_column = "timestamp"
            keep = "1y"
            """)
        #expect(try state.pruned("--run-now", "--config", file).run().status == 3)
        return (state, file)
    }

    @Test(
        "what may be restored are runs that archived rows not long ago, and none whose name a shell would expand"
    )
    func runs() throws {
        let state = try StateDirectory.sampled()
        let report = try state.runNow.run().checked().output
        let id = try #require(report.firstMatch(of: /"run_id" ?: ?"([^"]*)"/)).output.1
        try state.runNow.run().checked()  // has nothing to do
        let marker = sandbox.path + "/expanded"
        for (run, time) in [("$(touch \(marker))", "time"), ("20200101T000000Z-0000", "1577836800000000")] {
            try state.ledger.query(
                """
                INSERT INTO history (kind, time, by, run_id) SELECT kind, \(time), by, '\(run)' FROM history
                    WHERE run_id = '\(id)';
                CREATE TEMP TABLE copy AS SELECT * FROM run_rule WHERE entry = 1;
                UPDATE copy SET entry = last_insert_rowid();
                INSERT INTO run_rule SELECT * FROM copy
                """)
        }
        let before = FileTree(state.path)
        #expect(try completedByBash("pruned restore --state-dir \(state.path) ") == [String(id)])
        #expect(!FileManager.default.fileExists(atPath: marker))
        #expect(FileTree(state.path) == before)
    }

    @Test("files and directories are completed where the option takes one")
    func files() throws {
        try sandbox.write("policy.toml", "")
        try sandbox.write("policy.txt", "")
        _ = try sandbox.makeDirectory("policies")
        let start = sandbox.path + "/pol"
        #expect(
            Set(try completedByBash("pruned --config \(start)"))
                == [sandbox.path + "/policy.toml", sandbox.path + "/policies"])
        #expect(try completedByBash("pruned --state-dir \(start)") == [sandbox.path + "/policies"])
        #expect(try completedByBash("reader --state-dir \(start)").isEmpty)  // stands behind a command only
        #expect(try completedByBash("reader show --state-dir \(start)") == [sandbox.path + "/policies"])
    }

    @Test(
        "zsh loads the scripts", .enabled(if: Self.has("zsh"), "needs zsh"), arguments: ["pruned", "reader"])
    func zsh(name: String) throws {
        let script = """
            fpath=("$1" $fpath); autoload -Uz compinit && compinit -D -u
            print -r -- "$_comps[$2]"; autoload +X "_$2" && print loaded
            """
        let ended = try Program(path: "zsh", arguments: ["-f", "-c", script, "zsh", sandbox.path, name]).run()
        #expect(ended.status == 0 && ended.errors.isEmpty, "\(ended)")
        #expect(ended.output == "_\(name)\nloaded\n", "\(ended)")
    }

    @Test("fish completes as bash does", .enabled(if: Self.has("fish"), "needs fish"))
    func fish() throws {
        #expect(try completedByFish("pruned --r") == ["--rule", "--run-now"])
        #expect(try completedByFish("pruned re") == ["restore"])
        #expect(try completedByFish("pruned --pl") == [])
        #expect(try completedByFish("reader timeline i") == ["import"])
        let file = try held().file
        #expect(try completedByFish("pruned --config \(file) --run-now --rule ") == ["big", "small"])
        #expect(try completedByFish("pruned --config=\(file) plan --rule ") == ["big", "small"])
    }

    /// What bash offers for the line's last word, as if the tabulator key were pressed behind it.
    private func completedByBash(_ line: String) throws -> [String] {
        let script = """
            source "$1/${2%% *}.bash" || exit
            COMP_LINE=$2 COMP_POINT=${#2}
            read -ra COMP_WORDS <<< "$2"
            [[ $2 = *' ' ]] && COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            function=$(complete -p "${COMP_WORDS[0]}") || exit
            function=${function##*-F } function=${function%% *}
            "$function" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
            ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
            """
        let ended = try shell("bash", ["--norc", "-c", script, "bash", sandbox.path, line])
        return ended.split(separator: "\n").map(String.init)
    }

    private func completedByFish(_ line: String) throws -> [String] {
        // Where no terminal is, fish knows of no cursor; it is at the end of the line.
        let script = """
            function commandline
                contains -- -tC $argv; and echo 0; or builtin commandline $argv
            end
            source $argv[1]/(string split ' ' $argv[2])[1].fish; complete -C $argv[2]
            """
        let ended = try shell("fish", ["--no-config", "-c", script, sandbox.path, line])
        return ended.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }.sorted()
    }

    /// The output of a shell that finds the programs under test, and has nothing to complain of.
    private func shell(_ path: String, _ arguments: [String]) throws -> String {
        let programs = (Program.pruned.path as NSString).deletingLastPathComponent
        var program = Program(path: path, arguments: arguments)
        program.environment = ["PATH": programs + ":/usr/bin:/bin", "HOME": sandbox.path, "TERM": "dumb"]
        let ended = try program.run().checked()
        guard ended.errors.isEmpty else { throw ProgramFailed(program: ended) }
        return ended.output
    }

    private static func has(_ shell: String) -> Bool {
        (try? Program(path: "which", arguments: [shell]).run().status) == 0
    }
}
