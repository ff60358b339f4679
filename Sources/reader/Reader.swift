import ArgumentParser

@main
struct Reader: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader", abstract: "The reading app whose store pruned keeps small.",
        discussion: """
            Exit status: 0 done; 1 it cannot be done; 64 usage; 65 store damaged or not one, or input that is not what it \
            should be; 74 input/output, network included; 75 store busy.
            """,
        subcommands: [
            ShowCommand.self, TimelineCommand.self, UnreadCommand.self, ReadCommand.self, FeedCommand.self,
            ItemsCommand.self, WatchCommand.self, SampleCommand.self, LoadCommand.self,
        ])
}
