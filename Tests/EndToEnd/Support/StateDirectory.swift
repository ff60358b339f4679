import TestSupport
import Foundation

/// A state directory in a sandbox, and the programs on it.
struct StateDirectory {
    let sandbox: Sandbox
    let path: String
    /// A program that becomes each of the programs, with its arguments.
    var prefix: [String] = []

    /// `name` may hold whatever a path may hold. The directory itself is not made.
    init(_ name: String = "state") throws {
        sandbox = try Sandbox()
        path = sandbox.path + "/" + name
    }

    /// One elsewhere, for programs that `prefix` starts.
    init(at path: String, prefix: [String]) throws {
        sandbox = try Sandbox()
        self.path = path
        self.prefix = prefix
    }

    /// One filled by `reader sample`.
    static func sampled(records: Int = 1_000, _ name: String = "state") throws -> StateDirectory {
        let state = try StateDirectory(name)
        try state.sample(records: records)
        return state
    }

    func sample(records: Int) throws {
        var reader = Program.reader
        reader.arguments = ["sample", "--state-dir", path, "--records", "\(records)"]
        reader.prefix = prefix
        try reader.run().checked()
    }

    /// Makes it `user`'s, with `mode`; the group shares all else that is there.
    func give(to user: AnotherUser, mode: mode_t) throws {
        for (name, entry) in FileTree(path).entries {
            try user.own(path + "/" + name, mode: entry.mode & S_IFMT == S_IFDIR ? 0o2770 : 0o660)
        }
        try user.own(path, mode: mode)
    }

    /// A copy in another sandbox.
    func copied() throws -> StateDirectory {
        let copy = try StateDirectory()
        try Program(path: "cp", arguments: ["-r", path, copy.path]).run().checked()
        return copy
    }

    /// What lies in it between runs.
    static let filesAtRest = [
        "archive", "archive/reader", "archive/reader/archive.sqlite", "ledger", "ledger/state.sqlite",
        "shared", "shared/reader.sqlite", "status.json",
    ]

    /// The same before anything was deleted that is archived.
    static let filesWithoutArchive = filesAtRest.filter { !$0.hasPrefix("archive") }

    /// The same where nothing was deleted by a rule that archives.
    static let filesOfEmptyStore = filesAtRest.filter { $0 != "archive/reader/archive.sqlite" }

    /// What pruned remembers.
    var ledger: Database { Database(path: path + "/ledger/state.sqlite", prefix: prefix) }

    /// Has the rules that have run have run at `seconds` since 1970, an SQL expression.
    func setLastRuns(_ seconds: String) throws {
        try ledger.query("UPDATE last_run SET began = CAST((\(seconds)) * 1000000 AS INTEGER)")
    }

    /// Whoever keeps the ledger from being written until they end.
    func ledgerReader() throws -> RunningProgram {
        let reader = try ledger.program.start(feeds: true)
        try reader.feed("BEGIN;\nSELECT 'read', count(*) FROM history;\n")
        try eventually("the ledger is read") { reader.output.contains("read") }
        return reader
    }

    var storePath: String { path + "/shared/reader.sqlite" }
    var store: Database { Database(path: storePath, prefix: prefix) }

    func pruned(_ arguments: String...) -> Program {
        var program = Program.pruned
        program.arguments = arguments + ["--state-dir", path]
        program.prefix = prefix
        return program
    }

    /// `--run-now --json` on it.
    var runNow: Program { pruned("--run-now", "--json") }
    /// The same with every rule's rows found by `plan`.
    func runNow(plan: String) -> Program { pruned("--run-now", "--json", "--access-path", plan) }
    /// A configuration file with this text, beside the directory.
    func configuration(_ text: String, name: String = "pruned.toml") throws -> String {
        try sandbox.write(name, text)
    }

    /// `--run-now --json` by a configuration file with this text.
    func runNow(configuration text: String) throws -> Program {
        pruned("--run-now", "--json", "--config", try configuration(text))
    }
}
