import ArgumentParser
import Foundation
import Pruning
import SQLitePruning

/// The program: a service without arguments, one run with `--run-now`.
@main
struct Pruned: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pruned",
        abstract: "Keeps a reading app's store small: deletes what has expired, in the background.",
        discussion: """
            Without a command, pruned serves until SIGTERM: this is what the systemd unit starts. SIGHUP re-reads \
            the configuration, SIGUSR1 runs all rules now.

            \(ExitStatus.help)
            """,
        version: "pruned \(version)",
        subcommands: [
            CheckCommand.self, PlanCommand.self, StatusCommand.self, ConfirmCommand.self,
            HistoryCommand.self, RestoreCommand.self, ReloadCommand.self,
        ])

    static let version = "0.1.0"

    /// Runs what the command line says. What it cannot mean is said like every other error: what, and what to do.
    static func main() {
        refuseUnknownArguments()
        SQLiteLibrary.leaveMemoryUncounted()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch  where !(error is ExitCode) && exitCode(for: error) == .validationFailure {
            let help = fullMessage(for: error).split(separator: "\n").last { $0.contains("--help") }
            Failure(.usage, message(for: error), hint: help.map { $0.trimmingCharacters(in: .whitespaces) })
                .report()
            Foundation.exit(ExitStatus.usage.rawValue)
        } catch
            where CompletionScript.isRequested(by: CommandLine.arguments)
            && exitCode(for: error) == .success
        {
            print(CompletionScript(fullMessage(for: error), commands: commandNames))
        } catch {
            exit(withError: error)
        }
    }

    /// Swift reads the arguments from /proc. Without it there are none, not even the program's name; and no arguments mean
    /// to serve, and to delete.
    private static func refuseUnknownArguments() {
        guard CommandLine.arguments.isEmpty else { return }
        Failure(
            .inputOutput, "cannot read the command line: there is no /proc/self/cmdline",
            hint: "mount /proc: without it nobody knows what is asked for"
        ).report()
        Foundation.exit(ExitStatus.inputOutput.rawValue)
    }

    private static var commandNames: [String] {
        configuration.subcommands.filter { $0.configuration.shouldDisplay }
            .compactMap { $0.configuration.commandName }
    }

    @OptionGroup var common: CommonOptions

    @Flag(name: .long, help: "Run every rule once, due or not, then exit.")
    var runNow = false

    @OptionGroup(title: "Options of --run-now") var runOptions: RunOptions

    /// Throws where an option of `--run-now` stands beside the command of this name. `butSelection`: the command has
    /// `--rule` and `--json` itself.
    ///
    /// Not by `validate()` of the program: that is asked before it is known that a command follows, and what stands behind
    /// that may have been read as an option of the program's own.
    func refuseRunOptions(of command: String, butSelection: Bool = false) throws {
        guard !runNow else { throw ValidationError("\(command) does not go with --run-now.") }
        let own = butSelection ? ["--rule", "--json"] : []
        if let option = runOptions.given.first(where: { !own.contains($0) }) {
            throw ValidationError("\(command) does not go with \(option).")
        }
    }

    private static let runOptionsAlone = ValidationError(
        "--rule, --dry-run, --json, --confirm and --trust-clock go with --run-now.")

    func run() throws {
        guard runNow || runOptions.given.isEmpty else { throw Self.runOptionsAlone }
        ProcessSignals.ignoreUnwanted()
        try Failure.reported {
            try keepingRefusals {
                let setup = try Setup(common)
                if runNow {
                    return try RunNow(setup: setup, options: runOptions, color: common.color).execute()
                }
                return try Daemon(setup: setup).serve()
            }
        }
    }

    /// What does not get far enough to have a history of its own is kept in it all the same.
    private func keepingRefusals(_ body: () throws -> ExitStatus) throws -> ExitStatus {
        let initiator = Initiator(runNow ? .hand : .service, user: Privileges.caller)
        do {
            return try body()
        } catch let failure as Failure where failure.status == .configuration && !runOptions.dryRun {
            let directory = try Setup.stateDirectory(common)
            try Privileges.assumeOwner(of: directory)
            // Where there is no state directory yet, there is nothing that it could have put at risk.
            try? RunHistory(stateDirectory: directory).append([failure.refusal(by: initiator)])
            throw failure
        }
    }
}
