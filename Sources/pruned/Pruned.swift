import ArgumentParser
import Foundation

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
        subcommands: [CheckCommand.self, PlanCommand.self, ConfirmCommand.self])

    static let version = "0.1.0"

    @OptionGroup var common: CommonOptions

    @Flag(name: .long, help: "Run every rule once, due or not, then exit.")
    var runNow = false

    @OptionGroup(title: "Options of --run-now") var runOptions: RunOptions

    func validate() throws {
        guard runNow || runOptions.isEmpty else {
            throw ValidationError("--rule, --dry-run, --json, --confirm and --trust-clock go with --run-now.")
        }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported {
            let setup = try Setup(common)
            if runNow {
                return try RunNow(setup: setup, options: runOptions).execute()
            }
            return try Daemon(setup: setup).serve()
        }
    }
}
