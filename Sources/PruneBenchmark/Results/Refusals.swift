/// How many of an app's calls failed as the store was busy, in all runs together.
struct Refusals: Equatable, CustomStringConvertible {
    let refused: Int
    let calls: Int

    /// Of all but the reads.
    init(writesOf runs: [AppWaits]) {
        refused = runs.map { $0.refused - $0.refusedReads }.reduce(0, +)
        calls = runs.map { $0.calls - $0.reads }.reduce(0, +)
    }

    init(readsOf runs: [AppWaits]) {
        refused = runs.map(\.refusedReads).reduce(0, +)
        calls = runs.map(\.reads).reduce(0, +)
    }

    /// Not a number where there was no call.
    var percent: Double { calls > 0 ? Double(refused) / Double(calls) * 100 : .nan }

    var description: String { "\(refused.inWords) of \(calls.inWords)" }
}
