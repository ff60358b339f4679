extension Measurement {
    /// Row 10: free pages are given back after the deletion.
    static let reclaiming = Measurement("10") { race, sizes in
        try RecordIDs.allCases.flatMap { ids -> [Finding] in
            let job = Job(recipe: StoreRecipe(ids: ids, records: sizes.middle), reclaim: true)
            let what = "\(sizes.middle.inWords), \(ids.inWords), giving space back"
            let (vacuum, beside) = ("A and VACUUM", "pruned, with an insert every 3 ms")
            let samples = try race.run(
                "10", what,
                [
                    Entry("pruned", .pruned, job), Entry(vacuum, .oneStatementAndVacuum, job),
                    Entry(beside, .pruned, job, beside: .inserting),
                ])
            let (ours, busy) = (samples["pruned"] ?? [], samples[beside] ?? [])
            return [
                fileSize(what, ours),
                .ratio("10", what, ours, to: samples[vacuum], named: vacuum, atMost: 1.2),
                steps(what, ours),
                .batches("10", what, ours),
                Finding(
                    "10", "\(what): longest wait of an app", busy.longestWait, .context("ms"),
                    detail: "it inserts every 3 ms, as in row 6; "
                        + "\(busy.unfinished.count) of \(busy.count) runs gave up"),
            ]
        }
    }

    private static func fileSize(_ what: String, _ samples: [Sample]) -> Finding {
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

    /// No lock longer than the longest of the deletion's batches, or than the default lock time of a batch.
    private static func steps(_ what: String, _ samples: [Sample]) -> Finding {
        let reclaims = samples.compactMap(\.reclaim)
        let batch = samples.compactMap(\.report?.longestBatchMs).largest
        let steps = reclaims.map { Double($0.steps) }.median.formatted(digits: 0)
        let time = reclaims.map(\.durationMs).median / 1_000
        return Finding(
            "10", "\(what): longest step", reclaims.map(\.longestStepMs).largest,
            .atMost(max(10, batch), "ms"),
            detail: reclaims.isEmpty
                ? "the report says nothing of it" : "\(steps) steps in \(time.formatted(digits: 2)) s")
    }

    /// Row 13: rows go to the archive before they are deleted.
    static let archiving = Measurement("13") { race, sizes in
        try RecordIDs.allCases.flatMap { ids -> [Finding] in
            let plain = Job(recipe: StoreRecipe(ids: ids, records: sizes.small))
            var archiving = plain
            archiving.archive = true
            let what = "\(sizes.small.inWords), \(ids.inWords), archiving"
            let samples = try race.run(
                "13", what,
                [Entry("pruned, archiving", .pruned, archiving), Entry("pruned", .pruned, plain)])
            let ours = samples["pruned, archiving"]
            return [
                .ratio("13", what, ours, to: samples["pruned"], named: "without", atMost: 2.5),
                .batches("13", what, ours),
            ]
        }
    }
}
