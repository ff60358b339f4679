extension Measurement {
    /// Row 19: the app has no busy timeout: where it meets a lock, its call fails.
    static let noBusyTimeout = Measurement("19") { race, sizes in
        try [StoreRecipe.Journal.wal, .delete].flatMap { journal in
            try [true, false].flatMap { quiet -> [Finding] in
                let quietRecords = journal == .wal ? sizes.quiet : sizes.quietWithJournal
                let records = quiet ? quietRecords : sizes.small
                let recipe = StoreRecipe(schema: .usual, records: records, journal: journal)
                let what =
                    "\(records.inWords), \(journal == .wal ? "write-ahead log" : "rollback journal"), "
                    + "no busy timeout" + (quiet ? ", quiet" : "")
                let entry = Entry(
                    "pruned", .pruned, Job(recipe: recipe, quiet: quiet), beside: .withoutBusyTimeout)
                let samples = try race.run("19", what, [entry], roundsAtMost: 3)["pruned"] ?? []
                let app = samples.compactMap(\.app)
                return [
                    refused("\(what): writes refused", Refusals(writesOf: app), samples, quiet: quiet),
                    refused("\(what): reads refused", Refusals(readsOf: app), samples, quiet: quiet),
                    .batches("19", what, samples),
                ]
            }
        }
    }

    private static func refused(
        _ what: String, _ refusals: Refusals, _ samples: [Sample], quiet: Bool
    ) -> Finding {
        let isUnfinished = !samples.unfinished.isEmpty
        let speed = samples.map { Double($0.report?.deleted ?? 0) / $0.usage.wallSeconds }.median
        let detail = samples.givingUp + "\(refusals); \(Int(speed).inWords) rows deleted per second"
        return Finding(
            "19", what, refusals.percent, quiet ? .atMost(1, "%") : .context("%"), detail: detail,
            decided: isUnfinished ? false : nil, holdsForSmallStores: quiet && isUnfinished)
    }
}

/// How many of an app's calls failed as the store was busy, in all runs together.
struct Refusals: CustomStringConvertible {
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
