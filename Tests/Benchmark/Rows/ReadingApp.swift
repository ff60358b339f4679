/// Rows 20 to 23: the store of a reading app that knows nothing of pruned.
extension Measurement {
    static let articles = [
        unprotected("20", .deleted, peer: "one DELETE", "read articles, two protections and a keeper"),
        unprotected("21", .marked, peer: "one UPDATE", "the same articles, marked"),
        newestOfFeeds, suggestion,
    ]

    /// What was read goes or is marked, unless something keeps it.
    private static func unprotected(
        _ row: String, _ rule: ArticleRule, peer: String, _ title: String
    ) -> Measurement {
        Measurement(row) { race, sizes in
            let recipe = StoreRecipe(schema: .articles, records: sizes.middle)
            let what = "\(sizes.middle.inWords), \(title)"
            let job = Job(recipe: recipe, expiring: .articles(rule))
            let samples = try race.run(row, what, articleEntries(job, peer))
            return articleFindings(row, what, samples, peer, atMost: 1.2)
        }
    }

    /// The newest of each feed stay. Without an index on feed and time a run beside a writing app may be skipped.
    private static let newestOfFeeds = Measurement("22") { race, sizes in
        try [false, true].flatMap { hasFeedIndex -> [Finding] in
            let recipe = StoreRecipe(schema: .articles, records: sizes.middle, hasFeedIndex: hasFeedIndex)
            let what =
                "\(sizes.middle.inWords), the newest \(ArticleRule.newest) of \(recipe.articleFeeds.inWords) feeds stay"
                + (hasFeedIndex ? ", index on feed and time" : "")
            let peer = "row_number()"
            let job = Job(recipe: recipe, expiring: .articles(.oldestOfFeed))
            let samples = try race.run("22", what, articleEntries(job, peer))
            return articleFindings(
                "22", what, samples, peer, atMost: hasFeedIndex ? nil : 1.5, mayStop: !hasFeedIndex)
        }
    }

    /// An app makes the store a recent one: a table without new rows gets no rule proposed.
    private static let suggestion = Measurement("23") { race, sizes in
        let recipe = StoreRecipe(schema: .articles, records: sizes.suggested)
        let job = Job(recipe: recipe, expiring: .articles(.deleted))
        let what = "suggest, \(sizes.suggested.inWords) articles"
        let samples =
            try race.run("23", what, [Entry("suggest", .suggest, job, beside: .inserting)])["suggest"] ?? []
        let gigabytes = samples.map { Double($0.fileBytes) / 1e9 }.largest
        let longest = samples.map(\.usage.wallSeconds).largest
        return [
            Finding(
                "23", what, samples.wall, .below(3, "s"),
                detail:
                    "\(gigabytes.formatted(digits: 2)) GB; the longest \(longest.formatted(digits: 2)) s, "
                    + "CPU \(samples.processor.formatted(digits: 2)) s, peak memory "
                    + "\(samples.peakMegabytes.formatted(digits: 1)) MB"),
            .wait("23", "\(what): longest wait of an app", samples),
        ]
    }

    private static let besideInserts = "pruned, with an insert every 3 ms"

    private static func articleEntries(_ job: Job, _ peer: String) -> [Entry] {
        [
            Entry("pruned", .pruned, job), Entry(peer, .oneStatement, job),
            Entry(besideInserts, .pruned, job, beside: .inserting),
        ]
    }

    private static func articleFindings(
        _ row: String, _ what: String, _ samples: [String: [Sample]], _ peer: String, atMost limit: Double?,
        mayStop: Bool = false
    ) -> [Finding] {
        [
            .ratio(row, what, samples["pruned"], to: samples[peer], named: peer, atMost: limit),
            .batches(row, what, samples["pruned"]),
            .wait(row, "\(what): longest wait of an app", samples[besideInserts], mayStop: mayStop),
        ]
    }
}
