/// Rows 1 to 5 and 14: nobody else uses the store.
extension Measurement {
    /// Half of the read records are expired.
    static let half = [half("1", .followingTime, limitOfB: 0.7), half("2", .random, limitOfB: 0.3)]

    private static func half(_ row: String, _ ids: RecordIDs, limitOfB: Double) -> Measurement {
        Measurement(row) { race, sizes in
            try sizes.usual.flatMap { records -> [Finding] in
                let recipe = StoreRecipe(ids: ids, records: records)
                let what = "\(records.inWords), \(ids.inWords)"
                let samples = try race.run(
                    row, what,
                    [
                        Entry("pruned", .pruned, Job(recipe: recipe)),
                        Entry("A", .oneStatement, Job(recipe: recipe)),
                        Entry("B", .oneStatement, Job(recipe: recipe.inUsualSchema)),
                    ])
                return [
                    .ratio(row, what, samples["pruned"], to: samples["A"], named: "A", atMost: 1),
                    .ratio(row, what, samples["pruned"], to: samples["B"], named: "B", atMost: limitOfB),
                    .batches(row, what, samples["pruned"]),
                ]
            }
        }
    }

    /// The same in a store that pruned did not make.
    static let usualSchema = Measurement("2b") { race, sizes in
        // Random ids are slow for everybody there: the smaller store must do.
        let stores = sizes.usual.map { (RecordIDs.followingTime, $0, 1.0) } + [(.random, sizes.usual[0], 2.0)]
        return try stores.flatMap { ids, records, limit -> [Finding] in
            let job = Job(recipe: StoreRecipe(ids: ids, records: records).inUsualSchema)
            let what = "usual schema, \(records.inWords), \(ids.inWords)"
            let samples = try race.run(
                "2b", what, [Entry("pruned", .pruned, job), Entry("B", .oneStatement, job)])
            return [
                .ratio("2b", what, samples["pruned"], to: samples["B"], named: "B", atMost: limit),
                .batches("2b", what, samples["pruned"]),
            ]
        }
    }

    static let onePercent = Measurement("3") { race, sizes in
        try RecordIDs.allCases.flatMap { ids -> [Finding] in
            let recipe = StoreRecipe(ids: ids, records: sizes.large)
            let job = Job(recipe: recipe, expiring: .readRecords(.onePercent))
            let usual = Job(recipe: recipe.inUsualSchema, expiring: .readRecords(.onePercent))
            let what = "1 % of \(sizes.large.inWords), \(ids.inWords)"
            let samples = try race.run(
                "3", what,
                [
                    Entry("pruned", .pruned, job), Entry("A", .oneStatement, job),
                    Entry("B", .oneStatement, usual),
                ])
            let read = ["pruned", "A", "B"].map { name in
                (samples[name] ?? []).map { Double($0.usage.bytesRead ?? 0) / 1e6 }.median
            }
            let file = Double(samples["pruned"]?.first?.fileBytes ?? 0) / 1e6
            return [
                .ratio("3", what, samples["pruned"], to: samples["A"], named: "A", atMost: 1.2),
                .ratio("3", what, samples["pruned"], to: samples["B"], named: "B", atMost: nil),
                .batches("3", what, samples["pruned"]),
                Finding(
                    "3", "\(what): read", read[0], .context("MB"),
                    detail: "the file has \(file.formatted(digits: 0)) MB; "
                        + "A read \(read[1].formatted(digits: 0)) MB, B \(read[2].formatted(digits: 0)) MB"),
            ]
        }
    }

    static let nothingExpired = Measurement("4") { race, sizes in
        let job = Job(recipe: StoreRecipe(records: sizes.large), expiring: .readRecords(.none))
        let what = "nothing of \(sizes.large.inWords)"
        let samples = try race.run(
            "4", what, [Entry("pruned", .pruned, job), Entry("--version", .version, job)])
        let (run, version) = (
            (samples["pruned"] ?? []).wall * 1_000, (samples["--version"] ?? []).wall * 1_000
        )
        return [
            Finding(
                "4", what, run - version, .atMost(30, "ms over --version"),
                detail: "\(run.formatted(digits: 1)) ms, --version \(version.formatted(digits: 1)) ms")
        ]
    }

    /// Half of the feeds are stale, and their articles go with them.
    static let staleFeeds = Measurement("5") { race, sizes in
        let job = Job(recipe: StoreRecipe(records: 100_000, feeds: sizes.feeds), expiring: .feeds)
        let what = "\((sizes.feeds / 2).inWords) stale of \(sizes.feeds.inWords) feeds"
        let samples = try race.run(
            "5", what, [Entry("pruned", .pruned, job), Entry("A", .oneStatement, job)])
        return [
            .ratio("5", what, samples["pruned"], to: samples["A"], named: "A", atMost: 1),
            .batches("5", what, samples["pruned"]),
        ]
    }

    /// What a first run would delete.
    static let plan = Measurement("14") { race, sizes in
        let job = Job(recipe: StoreRecipe(records: sizes.large, hasOldTweets: true))
        let what = "a plan of \(sizes.large.inWords)"
        let samples = try race.run("14", what, [Entry("plan", .plan, job)])["plan"] ?? []
        let longest = samples.map(\.usage.wallSeconds).largest * 1_000
        return [
            Finding(
                "14", what, samples.wall * 1_000, .atMost(1_000, "ms"),
                detail: "the longest \(longest.formatted(digits: 0)) ms, "
                    + "CPU \(samples.processor.formatted(digits: 2)) s"),
            Finding(
                "14", "\(what): peak memory", samples.peakMegabytes, .context("MB"),
                detail: "less than the benchmark's own cannot be seen, as in row 9"),
        ]
    }
}
