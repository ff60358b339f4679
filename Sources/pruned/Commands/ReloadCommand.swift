import ArgumentParser
import FoundationEssentials
import Glibc

/// `pruned reload`: what the unit's `ExecReload=` calls, and nobody else.
struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Tell the service to read its configuration again, and print its answer.",
        shouldDisplay: false)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try program.refuseRunOptions(of: "reload")
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            let directory = try Setup.stateDirectory(common)
            guard let process = ProcessInfo.processInfo.environment["MAINPID"].flatMap(pid_t.init),
                process > 1
            else {
                let service = ServiceControl(stateDirectory: directory)
                throw Failure(
                    .usage, "$MAINPID does not name the process of the service",
                    hint: "`\(service.command("reload"))` says it")
            }
            try Privileges.assumeOwner(of: directory)
            return try Reload(process: process, stateDirectory: directory).execute()
        }
    }
}
