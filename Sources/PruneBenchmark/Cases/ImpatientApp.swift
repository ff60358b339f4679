/// Row 19: the app has no busy timeout, so that a lock is not a wait for it but a failure.
struct ImpatientApp: Case {
    /// Of an app's calls, in per cent.
    private static let limit = 1.0

    var rows: [String] { ["19"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        try StoreRecipe.Journal.allCases.flatMap { journal in
            try [true, false].flatMap { try measure(journal, quiet: $0, in: laboratory) }
        }
    }

    private func measure(
        _ journal: StoreRecipe.Journal, quiet: Bool, in laboratory: Laboratory
    ) throws -> [Finding] {
        let sizes = laboratory.sizes
        let quietRecords = journal == .wal ? sizes.quiet : sizes.quietWithJournal
        let records = quiet ? quietRecords : sizes.archived
        let recipe = StoreRecipe(
            schema: .usual, ids: .followingTime, records: records, journal: journal)
        let job = Job(recipe: recipe, expiring: .readRecords(.half), quiet: quiet)
        let what = "\(records.inWords), \(journal.inWords), no busy timeout" + (quiet ? ", quiet" : "")
        let samples = try laboratory.race(
            what,
            [
                Entry(name: "pruned", contender: .pruned(laboratory.pruned), job: job, load: .trying)
            ], roundsAtMost: 3)
        let ours = samples["pruned"] ?? []
        let app = ours.compactMap(\.app)
        return [
            Self.finding("\(what): writes refused", Refusals(writesOf: app), ours, quiet: quiet),
            Self.finding("\(what): reads refused", Refusals(readsOf: app), ours, quiet: quiet),
            .batches("19", what, ours),
        ]
    }

    private static func finding(
        _ what: String, _ refusals: Refusals, _ samples: [Sample], quiet: Bool
    ) -> Finding {
        let unfinished = samples.unfinished
        let speed = samples.map { Double($0.report?.deleted ?? 0) / $0.usage.wallSeconds }.median
        let gaveUp = unfinished.first?.report.map {
            "\(unfinished.count) of \(samples.count) runs gave up (\($0.reason ?? "")); "
        }
        let detail = (gaveUp ?? "") + "\(refusals); \(Int(speed).inWords) rows deleted per second"
        guard quiet else {
            return Finding(context: "19", what, refusals.percent, "%", detail: detail)
        }
        return Finding(
            "19", what, refusals.percent, .atMost(limit, "%"), detail: detail,
            decided: unfinished.isEmpty ? nil : false, holdsForSmallStores: !unfinished.isEmpty)
    }
}

extension StoreRecipe.Journal {
    fileprivate var inWords: String {
        switch self {
        case .wal: "write-ahead log"
        case .delete: "rollback journal"
        }
    }
}
