import ArgumentParser
import FoundationEssentials
import Glibc
import PolicyFile
import Pruning
import SQLite
import TerminalText

/// The program: a service without arguments, one run with `--run-now`.
@main
struct Pruned: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pruned",
        abstract:
            "Deletes expired rows from SQLite, PostgreSQL and MariaDB databases while their apps use them.",
        discussion: """
            Without a command, pruned serves until SIGTERM: this is what the systemd unit starts. SIGHUP re-reads \
            the configuration, SIGUSR1 runs all rules now. On a terminal, serve does the same.

            Examples:
              pruned suggest app.db                 which rules could this database have?
              pruned check                          is the configuration valid?
              pruned plan                           what would a run delete?
              pruned --run-now                      delete it, now
              pruned --run-now --confirm timeline   the same, and confirm this rule's hold
              pruned history --since 7d             what was deleted in the last week?

            \(ExitStatus.help)
            """,
        version: "pruned \(Version.current)",
        subcommands: [
            CheckCommand.self, PlanCommand.self, ExplainCommand.self, SuggestCommand.self,
            StatusCommand.self, ConfirmCommand.self,
            HistoryCommand.self, RestoreCommand.self, ExportCommand.self, PresetsCommand.self,
            ServeCommand.self,
            ReloadCommand.self,
        ])

    /// Runs the command line. A usage error is reported like any other error: what is wrong, and what to do.
    static func main() {
        let arguments = arguments()
        SQLiteLibrary.leaveMemoryUncounted()
        SQLiteLibrary.guardFiles()
        if Worker.isMeant(by: arguments) { Worker.main() }
        do {
            var command = try parseAsRoot(Array(arguments.dropFirst()))
            try command.run()
        } catch  where !(error is ExitCode) && exitCode(for: error) == .validationFailure {
            let message = message(for: error)
            let help = fullMessage(for: error).split(separator: "\n").last { $0.contains("--help") }
            let hints = [commandMeant(by: message, in: arguments), help?.drop { $0 == " " }.description]
            Failure(.usage, message, hint: hints.compactMap(\.self).joined(separator: " ")).report()
            Glibc.exit(ExitStatus.usage.rawValue)
        } catch {
            exit(withError: error)
        }
    }

    /// The command line, including the program's name.
    ///
    /// Swift looks for it next to the environment, and finds nothing if a preloaded library has moved that. In this
    /// case it is read from /proc. An unreadable command line must not count as one without arguments, which means to
    /// serve, and to delete.
    private static func arguments() -> [String] {
        guard CommandLine.arguments.isEmpty else { return CommandLine.arguments }
        let path = "/proc/self/cmdline"
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        let arguments = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        guard arguments.isEmpty else { return arguments.map { String(decoding: $0, as: UTF8.self) } }
        Failure(
            .inputOutput, "cannot read the command line: \(path) is missing or empty",
            hint: "mount /proc, or start pruned without LD_PRELOAD: no arguments would mean to delete"
        ).report()
        Glibc.exit(ExitStatus.inputOutput.rawValue)
    }

    /// A question for a person who mistyped a command.
    private static func commandMeant(by message: String, in arguments: [String]) -> String? {
        let names = commandNames + ["help"]
        guard !arguments.dropFirst().contains(where: names.contains),
            // "Unexpected argument 'plna'", "2 unexpected arguments: 'plna', 'x'".
            message.contains("nexpected argument"),
            let word = message.split(separator: "'").dropFirst().first,
            let name = nearest(to: String(word), among: names)
        else { return nil }
        return "Did you mean 'pruned \(name)'?"
    }

    private static func nearest(to word: String, among names: [String]) -> String? {
        // An option of the program is easily mistaken for a command.
        let found = word == "run" ? "run-now" : (names + ["run-now"]).nearest(to: word)
        return found == "run-now" ? "--run-now" : found
    }

    private static var commandNames: [String] {
        configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .compactMap { $0.configuration.commandName }
    }

    @OptionGroup var common: CommonOptions

    @Flag(name: .long, help: "Run every rule once, due or not, then exit.")
    var runNow = false

    @OptionGroup(title: "Options of --run-now") var runOptions: RunOptions

    /// Throws when `--run-now` or one of its options is combined with the command. With `butSelection`, `--rule` and
    /// `--json` are permitted, because the command has them itself.
    ///
    /// The program's `validate()` cannot check this. It is called before the parser knows that a command follows, and
    /// the parser may have taken options after the command for the program's.
    func refuseRunOptions(of command: String, butSelection: Bool = false) throws {
        guard !runNow else { throw ValidationError("\(command) cannot be combined with --run-now.") }
        let own = butSelection ? ["--rule", "--json"] : []
        if let option = runOptions.given.first(where: { !own.contains($0) }) {
            throw ValidationError("\(command) cannot be combined with \(option).")
        }
    }

    private static let runOptionsAlone = ValidationError(
        "--rule, --dry-run, --json, --confirm and --trust-clock need --run-now.")

    func run() throws {
        guard runNow || runOptions.given.isEmpty else { throw Self.runOptionsAlone }
        ProcessSignals.ignoreUnwanted()
        try Failure.reported {
            guard runNow else {
                guard !Self.isTyped else { throw try refusalToServe() }
                return try ServeCommand.serve(common)
            }
            return try Refusals.kept(by: .hand, common, unless: runOptions.dryRun) {
                try RunNow(setup: Setup(common), options: runOptions, color: common.color).execute()
            }
        }
    }

    /// Whether a person typed the command line. Of what systemd sets for a unit, only NOTIFY_SOCKET tells: the rest is
    /// also inherited by the terminals of a desktop.
    private static var isTyped: Bool {
        let isOnTerminal = isatty(STDIN_FILENO) == 1 || StandardStream.output.isTerminal
        return isOnTerminal && ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] == nil
    }

    /// A person who calls the program without arguments to see what it is must not start a deletion.
    private func refusalToServe() throws(Failure) -> Failure {
        let program = Setup.program(common, try Setup.stateDirectory(common))
        return Failure(
            .usage, "tell pruned what to do: on a terminal it serves, and deletes, only when told to",
            hint:
                "`pruned suggest FILE` shows what a database has; `\(program) plan` shows what a run would"
                + " delete, `\(program) --run-now` deletes it, `\(program) serve` serves until Ctrl-C; see"
                + " 'pruned --help'")
    }
}
