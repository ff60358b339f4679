import ArgumentParser
import Glibc
import Systemd

/// `pruned serve`: does by hand what the unit starts without a command.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run each rule when it is due, until SIGTERM or Ctrl-C.",
        discussion: """
            This is what pruned does without a command, as a systemd unit starts it. On a terminal it must be said, \
            because it deletes.
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try program.refuseRunOptions(of: "serve")
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { try Self.serve(common) }
    }

    static func serve(_ common: CommonOptions) throws -> ExitStatus {
        FreeMemory.share()
        // The others end the service in any case, and early ones must not have to wait for the stores.
        ProcessSignals.block([SIGHUP, SIGUSR1])
        return try Refusals.kept(by: .service, common) {
            try Daemon(setup: Setup(common, looksForStores: false)).serve()
        }
    }
}
