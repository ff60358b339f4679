import ArgumentParser
import Foundation

@main
struct Reader: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader", abstract: "The reading app whose store pruned keeps small.",
        discussion: """
            Exit status: 0 done; 1 it cannot be done; 64 usage; 65 store damaged or not one, or input that is not what it \
            should be; 74 input/output, network included; 75 store busy.
            """,
        version: "reader \(version)",
        subcommands: [
            ShowCommand.self, TimelineCommand.self, UnreadCommand.self, ReadCommand.self, StarCommand.self,
            UnstarCommand.self, FeedCommand.self,
            ItemsCommand.self, WatchCommand.self, SampleCommand.self, LoadCommand.self,
        ])

    static let version = "0.1.0"

    /// Runs the command line. A usage error is reported on one line like any other error.
    static func main() async {
        // Swift reads the arguments from /proc. The first one, the program's name, is always present.
        guard !CommandLine.arguments.isEmpty else {
            Output.say("cannot read the command line (mount /proc, or start reader without LD_PRELOAD)")
            Foundation.exit(EX_IOERR)
        }
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch  where !(error is ExitCode) && exitCode(for: error) == .validationFailure {
            let help = fullMessage(for: error).split(separator: "\n").last { $0.contains("--help") }
            Output.say(
                message(for: error) + (help.map { " (\($0.trimmingCharacters(in: .whitespaces)))" } ?? ""))
            Foundation.exit(EX_USAGE)
        } catch {
            exit(withError: error)
        }
    }
}
