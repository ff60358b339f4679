/// Row 3: few of many rows are expired.
struct OnePercentExpired: Case {
    var rows: [String] { ["3"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        try RecordIDs.allCases.flatMap { try measure($0, in: laboratory) }
    }

    private func measure(_ ids: RecordIDs, in laboratory: Laboratory) throws -> [Finding] {
        let records = laboratory.sizes.large
        func job(_ schema: StoreRecipe.Schema) -> Job {
            Job(
                recipe: StoreRecipe(schema: schema, ids: ids, records: records),
                expiring: .readRecords(.onePercent))
        }
        let what = "1 % of \(records.inWords), \(ids.inWords)"
        let samples = try laboratory.race(
            what,
            [
                Entry(name: "pruned", contender: .pruned(laboratory.pruned), job: job(.reader)),
                Entry(name: "A", contender: .oneDelete, job: job(.reader)),
                Entry(name: "B", contender: .oneDelete, job: job(.usual)),
            ])
        let (ours, a, b) = (samples["pruned"] ?? [], samples["A"] ?? [], samples["B"] ?? [])
        return [
            .ratio("3", what, ours, to: a, named: "A", atMost: 1.2),
            .ratio("3", what, ours, to: b, named: "B", atMost: nil),
            .batches("3", what, ours),
            Self.reading(what, ours, a, b),
        ]
    }

    /// Whether it is like a table scan: how much it reads.
    private static func reading(_ what: String, _ ours: [Sample], _ a: [Sample], _ b: [Sample]) -> Finding {
        func megabytes(_ samples: [Sample]) -> Double {
            samples.map { Double($0.usage.bytesRead ?? 0) / 1e6 }.median
        }
        let file = Double(ours.first?.fileBytes ?? 0) / 1e6
        return Finding(
            context: "3", "\(what): read", megabytes(ours), "MB",
            detail:
                "the file has \(file.formatted(digits: 0)) MB; A read \(megabytes(a).formatted(digits: 0)) MB, "
                + "B \(megabytes(b).formatted(digits: 0)) MB")
    }
}
