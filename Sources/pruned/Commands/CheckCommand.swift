import ArgumentParser
import Foundation
import PolicyFile
import Pruning
import Retention

/// `pruned check`: says what would be wrong, and changes nothing.
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Validate configuration and stores; says what would be wrong.",
        discussion: """
            First it says how much is wrong, then a line for each thing, and last which file each value of the \
            configuration comes from.

            Examples:
              pruned check --problems
              pruned check --store reader
              pruned check --config /tmp/pruned.toml
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @OptionGroup var selection: SelectionOptions

    @Flag(name: .long, help: "Print the built-in policy as a configuration file.")
    var defaults = false

    func validate() throws {
        try program.refuseRunOptions(of: "check")
        guard !defaults || selection.isEmpty else {
            throw ValidationError("--defaults goes with neither --store nor --problems.")
        }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            guard !defaults else { return try printDefaults() }
            let setup = try Setup(common)
            return try Check(
                setup: setup, selection: selection, style: .of(.output, common.color)
            ).execute()
        }
    }

    private func printDefaults() throws(Failure) -> ExitStatus {
        let policy: RetentionPolicy
        do {
            policy = try .builtIn(timeZone: .current)
        } catch {
            throw Failure(.configuration, "the built-in policy is not consistent: \(error)")
        }
        let service = ServiceControl(stateDirectory: try Setup.stateDirectory(common))
        try StandardStream.output.write(
            PolicyFile.render(policy, systemTimeZone: .current, reload: service.command("reload")))
        return .done
    }
}
