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

    /// Throws where an option of `--run-now` is out of place. Not by `validate()`: that is asked before it is known
    /// whether a command follows, which may have an option of the same name:
    /// then that was read as this one.
    func refuseRunOptions(butSelection: Bool = false) throws {
        var options = runOptions
        if butSelection { (options.rule, options.json) = ([], false) }
        guard runNow || options.isEmpty else {
            throw ValidationError("--rule, --dry-run, --json, --confirm and --trust-clock go with --run-now.")
        }
    }

    func run() throws {
        try refuseRunOptions()
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
