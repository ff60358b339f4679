import ArgumentParser

@main
struct Reader: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader", abstract: "The reading app whose store pruned keeps small.",
        subcommands: [SampleCommand.self])
}
