import TestSupport
import Foundation

/// The commands of a program with their options, as the program itself knows them.
struct CommandTree {
    /// The options that help shows, by command: "timeline import", and "" for the program itself.
    let options: [String: Set<String>]

    init(of program: Program) throws {
        var program = program
        program.arguments = ["--experimental-dump-help"]
        let dump = try JSONDecoder().decode(Dump.self, from: Data(program.run().checked().output.utf8))
        var options: [String: Set<String>] = [:]
        dump.command.collect(into: &options, path: [])
        self.options = options
    }

    /// The command that a command line begins with.
    func command(of line: [String]) -> String {
        let words = line.prefix { !$0.hasPrefix("-") }
        return (0...words.count).reversed().map { words.prefix($0).joined(separator: " ") }
            .first { options[$0] != nil } ?? ""
    }

    private struct Dump: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let kind: String
                let name: String
            }
            let kind: String
            let names: [Name]?
            let shouldDisplay: Bool
        }
        let commandName: String
        let shouldDisplay: Bool
        let arguments: [Argument]?
        let subcommands: [Command]?

        func collect(into options: inout [String: Set<String>], path: [String]) {
            guard shouldDisplay else { return }
            let shown = (arguments ?? []).filter { $0.shouldDisplay && $0.kind != "positional" }
            options[path.joined(separator: " ")] = Set(
                shown.flatMap { $0.names ?? [] }.map { ($0.kind == "long" ? "--" : "-") + $0.name })
            for command in subcommands ?? [] {
                command.collect(into: &options, path: path + [command.commandName])
            }
        }
    }
}
