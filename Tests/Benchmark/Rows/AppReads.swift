import TestSupport

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

extension Measurement {
    /// Rows 9 and 12: what memory and time a run takes, from small stores to large ones.
    static let growth = Measurement("9", "12") { race, sizes in
        let jobs = sizes.growing.map { Job(recipe: StoreRecipe(records: $0)) }
        let entries =
            jobs.map { Entry($0.recipe.records.inWords, .pruned, $0) }
            + jobs.prefix(1).map { Entry("--version", .version, $0) }
        let samples = try race.run("9", "growth", entries, roundsAtMost: 3)
        return memory(sizes.growing, samples) + time(sizes.growing.dropFirst(), samples)
    }

    private static func memory(_ sizes: [Int], _ samples: [String: [Sample]]) -> [Finding] {
        let peaks = sizes.map { (samples[$0.inWords] ?? []).peakMegabytes }
        let detail = zip(sizes, peaks).map { "\($0.inWords): \($1.formatted(digits: 1))" }.joined(
            separator: ", ")
        let own = Double(Usage.ownPeakBytes) / 1e6
        let range = "\((sizes.first ?? 0).inWords) to \((sizes.last ?? 0).inWords) rows"
        return [
            Finding(
                "9", "peak memory, \(range)", peaks.largest, .atMost(40, "MB"),
                detail: "\(detail); less than the benchmark's own \(own.formatted(digits: 1)) cannot be seen",
                holdsForSmallStores: true),
            Finding(
                "9", "largest peak over the smallest", peaks.largest - peaks.smallest,
                .atMost(4, "MB"), detail: "which is what is taken for flat here"),
        ]
    }

    /// For each deleted row, less what starting the program takes.
    private static func time(_ sizes: ArraySlice<Int>, _ samples: [String: [Sample]]) -> [Finding] {
        let start = (samples["--version"] ?? []).wall
        let costs = sizes.map { records in
            ((samples[records.inWords] ?? []).wall - start) / Double(ExpiredShare.half.rows(of: records))
                * 1e9
        }
        guard let base = costs.first, let records = sizes.first else { return [] }
        let deviations = costs.map { ($0 / base - 1) * 100 }
        let detail = zip(sizes, zip(costs, deviations)).map { records, cost in
            let sign = cost.1 < 0 ? "" : "+"
            return "\(records.inWords): \(cost.0.formatted(digits: 0)) ns "
                + "(\(sign)\(cost.1.formatted(digits: 0)) %)"
        }
        return [
            Finding(
                "12", "time per deleted row, farthest from that of \(records.inWords)",
                deviations.map(abs).largest, .atMost(15, "%"), detail: detail.joined(separator: ", "))
        ]
    }
}
