/// Row 5: half of the feeds are stale, and their articles go with them.
struct StaleFeeds: Case {
    var rows: [String] { ["5"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        let feeds = laboratory.sizes.feeds
        let recipe = StoreRecipe(schema: .reader, ids: .followingTime, records: 100_000, feeds: feeds)
        let job = Job(recipe: recipe, expiring: .feeds)
        let what = "\((feeds / 2).inWords) stale of \(feeds.inWords) feeds"
        let samples = try laboratory.race(
            what,
            [
                Entry(name: "pruned", contender: .pruned(laboratory.pruned), job: job),
                Entry(name: "A", contender: .oneDelete, job: job),
            ])
        let ours = samples["pruned"] ?? []
        return [
            .ratio("5", what, ours, to: samples["A"] ?? [], named: "A", atMost: 1),
            .batches("5", what, ours),
        ]
    }
}
