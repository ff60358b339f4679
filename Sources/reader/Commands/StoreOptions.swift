import ArgumentParser
import Foundation
import ReaderStore

/// The options of every command.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The state directory, created if missing; else $STATE_DIRECTORY, /var/lib/pruned (as root or as user pruned),"
                + " or $XDG_STATE_HOME/pruned.", valueName: "dir"),
        completion: .directory)
    var stateDir: String?

    func validate() throws {
        guard stateDir != "" else { throw ValidationError("--state-dir is empty") }
    }

    /// The absolute path of the state directory to use.
    func directory() throws(ReaderStoreError) -> String {
        try StateDirectory.absolute(
            StateDirectory.resolve(
                option: stateDir, environment: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0,
                userName: NSUserName()))
    }

    func open() throws(ReaderStoreError) -> ReaderStore { try ReaderStore(stateDirectory: try directory()) }
}

/// Whether to print data as JSON.
struct JSONOption: ParsableArguments {
    @Flag(help: "Print the data as JSON.")
    var json = false
}
