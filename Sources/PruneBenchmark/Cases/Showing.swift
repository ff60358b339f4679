/// Rows 16 and 17: the app asks for what it shows, alone and while rows of another table of its store are deleted.
struct Showing: Case {
    var rows: [String] { ["16", "17"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        let sizes = laboratory.sizes
        let recipe = StoreRecipe(
            schema: .reader, ids: .followingTime, records: sizes.shownRecords,
            feeds: 2 * sizes.shownFeeds, oldItems: sizes.oldItems)
        var findings: [Finding] = []
        if wanted.contains("16") {
            findings += try measure(
                "16", "articles of a tab, of \(sizes.shownFeeds.inWords) fresh feeds", .askingForArticles,
                atMost: 1, of: recipe, in: laboratory)
        }
        if wanted.contains("17") {
            findings += try measure(
                "17", "loading \(sizes.shownRecords.inWords) read records", .loadingRecords,
                atMost: 200, of: recipe, in: laboratory)
        }
        return findings
    }

    private func measure(
        _ row: String, _ what: String, _ load: Load, atMost limit: Double, of recipe: StoreRecipe,
        in laboratory: Laboratory
    ) throws -> [Finding] {
        let job = Job(recipe: recipe, expiring: .items)
        let alone = Contender.nobody(seconds: 1)
        let samples = try laboratory.race(
            what,
            [
                Entry(name: "nobody", contender: alone, job: job, load: load),
                Entry(name: "pruned", contender: .pruned(laboratory.pruned), job: job, load: load),
            ], times: laboratory.sizes.pairs)
        let (nobody, beside) = (samples["nobody"] ?? [], samples["pruned"] ?? [])
        let isUnfinished = !beside.unfinished.isEmpty
        return [
            Finding(row, what, nobody.medianWait, .atMost(limit, "ms"), detail: Self.detail(nobody)),
            Finding(
                row, "\(what): while pruned deletes", Self.slowdown(nobody, beside),
                .atMost(1.2, "x alone"), detail: Self.detail(beside), decided: isUnfinished ? false : nil,
                holdsForSmallStores: isUnfinished),
        ]
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
