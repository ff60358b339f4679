import ArgumentParser

@main
struct PruneBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "PruneBenchmark",
        abstract: "Measures pruned against one DELETE statement, and judges the targets.",
        subcommands: [
            RunCommand.self, BuildCommand.self, InsertCommand.self, ReadCommand.self, ShowCommand.self,
            TryCommand.self,
        ],
        defaultSubcommand: RunCommand.self)
}
