/// Row 14: a look ahead, at what a first run would delete.
struct Planning: Case {
    var rows: [String] { ["14"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        let records = laboratory.sizes.large
        let recipe = StoreRecipe(schema: .reader, ids: .followingTime, records: records, hasOldTweets: true)
        let job = Job(recipe: recipe, expiring: .readRecords(.half))
        let what = "a plan of \(records.inWords)"
        let samples = try laboratory.race(
            what, [Entry(name: "plan", contender: .plan(laboratory.pruned), job: job)])
        let ours = samples["plan"] ?? []
        let longest = ours.map(\.usage.wallSeconds).largest * 1_000
        return [
            Finding(
                "14", what, ours.wall * 1_000, .atMost(1_000, "ms"),
                detail:
                    "the longest \(longest.formatted(digits: 0)) ms, CPU \(ours.processor.formatted(digits: 2)) s"
            ),
            Finding(
                context: "14", "\(what): peak memory", ours.peakMegabytes, "MB",
                detail: "less than the benchmark's own cannot be seen, as in row 9"),
        ]
    }
}
