/// Row 10: free pages are given back after the deletion.
struct Reclaiming: Case {
    /// What pruned is asked for where its configuration does not say otherwise.
    private static let batchMilliseconds = 10.0

    var rows: [String] { ["10"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        try RecordIDs.allCases.flatMap { try measure($0, in: laboratory) }
    }

    private func measure(_ ids: RecordIDs, in laboratory: Laboratory) throws -> [Finding] {
        let records = laboratory.sizes.middle
        let recipe = StoreRecipe(schema: .reader, ids: ids, records: records)
        let job = Job(recipe: recipe, expiring: .readRecords(.half), reclaim: true)
        let pruned = Contender.pruned(laboratory.pruned)
        let what = "\(records.inWords), \(ids.inWords), giving space back"
        let samples = try laboratory.race(
            what,
            [
                Entry(name: "pruned", contender: pruned, job: job),
                Entry(name: "A and VACUUM", contender: .oneDeleteAndVacuum, job: job),
                Entry(
                    name: "pruned, with an insert every 3 ms", contender: pruned, job: job, load: .inserting),
            ])
        let ours = samples["pruned"] ?? []
        let busy = samples["pruned, with an insert every 3 ms"] ?? []
        return [
            Self.size(what, ours),
            .ratio("10", what, ours, to: samples["A and VACUUM"] ?? [], named: "A and VACUUM", atMost: 1.2),
            Self.steps(what, ours),
            .batches("10", what, ours),
            Finding(
                context: "10", "\(what): longest wait of an app", busy.longestWait, "ms",
                detail:
                    "it inserts every 3 ms, as in row 6; \(busy.unfinished.count) of \(busy.count) runs gave up"
            ),
        ]
    }

    /// "No lock longer than a batch": than the longest of the deletion's batches, or than a batch should take.
    private static func steps(_ what: String, _ samples: [Sample]) -> Finding {
        let reclaims = samples.compactMap(\.reclaim)
        let batch = samples.compactMap(\.report?.longestBatchMilliseconds).largest
        let steps = reclaims.map { Double($0.steps) }.median.formatted(digits: 0)
        let time = reclaims.map(\.durationMilliseconds).median / 1_000
        return Finding(
            "10", "\(what): longest step", reclaims.map(\.longestStepMilliseconds).largest,
            .atMost(max(Self.batchMilliseconds, batch), "ms"),
            detail: reclaims.isEmpty
                ? "the report says nothing of it" : "\(steps) steps in \(time.formatted(digits: 2)) s")
    }

    private static func size(_ what: String, _ samples: [Sample]) -> Finding {
        let ratios = samples.compactMap { sample in
            sample.vacuumedBytes.map { Double(sample.fileBytes) / Double($0) }
        }
        let sizes = [samples.first?.fileBytes, samples.first?.vacuumedBytes].map { bytes in
            (Double(bytes ?? 0) / 1e6).formatted(digits: 1) + " MB"
        }
        return Finding(
            "10", "\(what): the file", ratios.largest, .atMost(1.1, "x a VACUUMed copy"),
            detail: sizes.joined(separator: " : "))
    }
}
