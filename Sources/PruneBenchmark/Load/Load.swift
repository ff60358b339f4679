/// What the app does with a store while it is pruned.
enum Load {
    case none
    /// It inserts a read record every 3 ms.
    case inserting
    /// It inserts, and two readers take turns in holding a snapshot for 2 s, so that there is always one.
    case insertingAndReading
    /// It asks for the articles of a fresh feed every millisecond: at a slower pace most of the time is the waking up.
    case askingForArticles
    /// It loads all read records every 50 ms.
    case loadingRecords
    /// It writes every 10 ms, and reads in between, and never waits for a lock.
    case trying

    /// The app's programs, the one whose calls are timed first.
    func programs(_ executable: String, on copy: StoreCopy) -> [Program] {
        let inserter = Program(
            executable, ["insert", "--schema", copy.recipe.schema.rawValue, "--path", copy.path])
        let readers = [2_000, 1_000].map { first in
            Program(
                executable,
                [
                    "read", "--path", copy.path, "--hold-milliseconds", "2000",
                    "--first-milliseconds", String(first),
                ])
        }
        func shower(_ content: ShowCommand.Content, of count: Int, every milliseconds: Int) -> Program {
            Program(
                executable,
                [
                    "show", "--path", copy.path, "--content", content.rawValue, "--count", String(count),
                    "--period-milliseconds", String(milliseconds),
                ])
        }
        let trier = Program(
            executable, ["try", "--schema", copy.recipe.schema.rawValue, "--path", copy.path])
        return switch self {
        case .none: []
        case .inserting: [inserter]
        case .insertingAndReading: [inserter] + readers
        case .askingForArticles: [shower(.articles, of: copy.recipe.feeds / 2, every: 1)]
        case .loadingRecords: [shower(.readRecords, of: copy.recipe.records, every: 50)]
        case .trying: [trier]
        }
    }

    /// A stall that begins so many milliseconds after a run is that run's: it may have left a long log to be
    /// checkpointed, by whoever writes next.
    var aftermathMilliseconds: Int64 {
        switch self {
        case .inserting, .insertingAndReading: 300
        case .none, .askingForArticles, .loadingRecords, .trying: 0
        }
    }
}
