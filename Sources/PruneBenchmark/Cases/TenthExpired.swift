/// Row 18: a tenth of the rows are expired, and their times are in no order: most pages have one of them, and none has many.
///
/// Beside an app of the usual schema, which leaves SQLite's settings as they are, and so checkpoints in its own commits.
struct TenthExpired: Case {
    var rows: [String] { ["18"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        try StoreRecipe.Schema.allCases.flatMap { try measure($0, in: laboratory) }
    }

    private func measure(_ schema: StoreRecipe.Schema, in laboratory: Laboratory) throws -> [Finding] {
        let records = laboratory.sizes.middle
        let recipe = StoreRecipe(schema: schema, ids: .random, records: records, isInOrder: false)
        let job = Job(recipe: recipe, expiring: .readRecords(.tenth))
        let pruned = Contender.pruned(laboratory.pruned)
        let (peer, name, limit) =
            schema == .reader ? ("A", "default store", 1.2) : ("B", "usual schema", 2.0)
        let what = "a tenth of \(records.inWords), times in no order, \(name)"
        let samples = try laboratory.race(
            what,
            [
                Entry(name: "pruned", contender: pruned, job: job),
                Entry(name: peer, contender: .oneDelete, job: job),
                Entry(
                    name: "pruned, with an insert every 3 ms", contender: pruned, job: job, load: .inserting),
            ])
        let ours = samples["pruned"] ?? []
        let busy = samples["pruned, with an insert every 3 ms"] ?? []
        return [
            .ratio("18", what, ours, to: samples[peer] ?? [], named: peer, atMost: limit),
            .batches("18", what, ours),
            Finding(
                "18", "\(what): longest wait of an app", busy.longestWait, .atMost(10, "ms"),
                detail: BusyStore.detail(busy), decided: busy.unfinished.isEmpty ? nil : false),
        ]
    }
}
