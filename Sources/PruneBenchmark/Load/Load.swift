/// What the app does with a store while it is pruned.
enum Load {
    case none
    /// It inserts a read record every 3 ms.
    case inserting
    /// It inserts, and two readers take turns in holding a snapshot for 2 s, so that there is always one.
    case insertingAndReading

    /// The app's programs, the inserting one first.
    func programs(_ executable: String, on copy: StoreCopy) -> [Program] {
        let inserter = Program(executable, ["insert", "--path", copy.path])
        let readers = [2_000, 1_000].map { first in
            Program(
                executable,
                [
                    "read", "--path", copy.path, "--hold-milliseconds", "2000",
                    "--first-milliseconds", String(first),
                ])
        }
        return switch self {
        case .none: []
        case .inserting: [inserter]
        case .insertingAndReading: [inserter] + readers
        }
    }
}
