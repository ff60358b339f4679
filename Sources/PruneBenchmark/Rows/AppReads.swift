extension Measurement {
    /// Rows 16 and 17: the app reads what it shows, alone and while rows of another table of its store are deleted.
    static let appReads = [
        appReads("16", .articles, atMost: 1) {
            "articles of a tab, of \($0.freshFeeds.inWords) fresh feeds"
        },
        appReads("17", .readRecords, atMost: 200) { "loading \($0.loaded.inWords) read records" },
    ]

    private static func appReads(
        _ row: String, _ app: AppCommand.Work, atMost limit: Double,
        _ title: @escaping @Sendable (Sizes) -> String
    ) -> Measurement {
        Measurement(row) { race, sizes in
            let recipe = StoreRecipe(
                records: sizes.loaded, feeds: 2 * sizes.freshFeeds, oldItems: sizes.oldItems)
            let job = Job(recipe: recipe, expiring: .items)
            let what = title(sizes)
            let samples = try race.run(
                row, what,
                [
                    Entry("nobody", .nobody(seconds: 1), job, beside: app),
                    Entry("pruned", .pruned, job, beside: app),
                ], times: sizes.pairs)
            let (alone, beside) = (samples["nobody"] ?? [], samples["pruned"] ?? [])
            let isUnfinished = !beside.unfinished.isEmpty
            let median = alone.compactMap { $0.app?.medianMilliseconds }.median
            return [
                Finding(row, what, median, .atMost(limit, "ms"), detail: detail(alone)),
                Finding(
                    row, "\(what): while pruned deletes", slowdown(alone, beside), .atMost(1.2, "x alone"),
                    detail: detail(beside), decided: isUnfinished ? false : nil,
                    holdsForSmallStores: isUnfinished),
            ]
        }
    }

    /// Of each run and the one just before it: a machine that others share has fast times and slow ones, of seconds.
    static func slowdown(_ alone: [Sample], _ beside: [Sample]) -> Double {
        zip(alone, beside).compactMap { alone, beside in
            guard let alone = alone.app, let beside = beside.app else { return nil }
            return beside.medianMilliseconds / alone.medianMilliseconds
        }.median
    }

    private static func detail(_ samples: [Sample]) -> String {
        let app = samples.compactMap(\.app)
        let medians = app.map(\.medianMilliseconds)
        return "\(app.map(\.calls).reduce(0, +).inWords) calls, the runs' medians "
            + "\(medians.smallest.formatted(digits: 3)) to \(medians.largest.formatted(digits: 3)) ms; 99 % took <= "
            + "\(samples.p99Wait.formatted(digits: 2)) ms, the longest \(samples.longestWait.formatted(digits: 1)) ms"
    }
}
