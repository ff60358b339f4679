import ArgumentParser

/// Makes one store. A process of its own: what a process has used of memory when it starts another counts as that
/// one's peak, too.
struct BuildCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "build", shouldDisplay: false)

    @Option var schema: StoreRecipe.Schema
    @Option var ids: RecordIDs
    @Option var records: Int
    @Option var feeds: Int
    @Flag var noOrder = false
    @Flag var oldTweets = false
    @Option var oldItems = 0
    @Option var journal = StoreRecipe.Journal.wal
    @Option var path: String

    func run() throws {
        let recipe = StoreRecipe(
            schema: schema, ids: ids, records: records, isInOrder: !noOrder, feeds: feeds,
            hasOldTweets: oldTweets, oldItems: oldItems, journal: journal)
        try StoreFilling(recipe: recipe).make(at: path)
    }

    /// The arguments that make this command of a recipe.
    static func arguments(_ recipe: StoreRecipe, path: String) -> [String] {
        [
            "build", "--schema", recipe.schema.rawValue, "--ids", recipe.ids.rawValue,
            "--records", String(recipe.records), "--feeds", String(recipe.feeds),
            "--old-items", String(recipe.oldItems), "--journal", recipe.journal.rawValue, "--path", path,
        ] + (recipe.isInOrder ? [] : ["--no-order"]) + (recipe.hasOldTweets ? ["--old-tweets"] : [])
    }
}
