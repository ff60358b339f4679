/// Row 4: what a look costs.
struct NothingExpired: Case {
    var rows: [String] { ["4"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        let records = laboratory.sizes.large
        let recipe = StoreRecipe(schema: .reader, ids: .followingTime, records: records)
        let job = Job(recipe: recipe, expiring: .readRecords(.none))
        let what = "nothing of \(records.inWords)"
        let samples = try laboratory.race(
            what,
            [
                Entry(name: "pruned", contender: .pruned(laboratory.pruned), job: job),
                Entry(name: "--version", contender: .version(laboratory.pruned), job: job),
            ])
        let (look, version) = (
            (samples["pruned"] ?? []).wall * 1_000, (samples["--version"] ?? []).wall * 1_000
        )
        return [
            Finding(
                "4", what, look - version, .atMost(30, "ms over --version"),
                detail: "\(look.formatted(digits: 1)) ms, --version \(version.formatted(digits: 1)) ms")
        ]
    }
}
