/// Rows 1, 2 and 2b: half of the read records are expired, and nobody else uses the store.
struct HalfExpired: Case {
    let ids: RecordIDs

    private var ownRow: String { ids == .followingTime ? "1" : "2" }
    private var limitOfB: Double { ids == .followingTime ? 0.7 : 0.3 }
    private var limitOfUsual: Double { ids == .followingTime ? 1 : 2 }

    var rows: [String] { [ownRow, "2b"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        try laboratory.sizes.usual.flatMap { try measure(wanted, records: $0, in: laboratory) }
    }

    private func measure(
        _ wanted: Set<String>, records: Int, in laboratory: Laboratory
    ) throws -> [Finding] {
        let ours = Job(
            recipe: StoreRecipe(schema: .reader, ids: ids, records: records), expiring: .readRecords(.half))
        let usual = Job(
            recipe: StoreRecipe(schema: .usual, ids: ids, records: records), expiring: .readRecords(.half))
        let pruned = Contender.pruned(laboratory.pruned)
        var entries: [Entry] = []
        if wanted.contains(ownRow) {
            entries += [
                Entry(name: "pruned", contender: pruned, job: ours),
                Entry(name: "A", contender: .oneDelete, job: ours),
            ]
        }
        // Random ids in the usual schema are slow for everybody: the smaller store must do.
        if wanted.contains("2b"), ids == .followingTime || records == laboratory.sizes.usual.first {
            entries.append(Entry(name: "pruned on B's", contender: pruned, job: usual))
        }
        guard !entries.isEmpty else { return [] }
        entries.append(Entry(name: "B", contender: .oneDelete, job: usual))
        let what = "\(records.inWords), \(ids.inWords)"
        let samples = try laboratory.race("half of \(what)", entries)
        let (a, b) = (samples["A"] ?? [], samples["B"] ?? [])

        var findings: [Finding] = []
        if let quiet = samples["pruned"] {
            findings += [
                .ratio(ownRow, what, quiet, to: a, named: "A", atMost: 1),
                .ratio(ownRow, what, quiet, to: b, named: "B", atMost: limitOfB),
                .batches(ownRow, what, quiet),
            ]
        }
        if let foreign = samples["pruned on B's"] {
            findings += [
                .ratio("2b", "usual schema, \(what)", foreign, to: b, named: "B", atMost: limitOfUsual),
                .batches("2b", "usual schema, \(what)", foreign),
            ]
        }
        return findings
    }
}

extension RecordIDs {
    var inWords: String { self == .followingTime ? "ids that follow time" : "random ids" }
}

extension Finding {
    /// The longest batch of `samples`, with their plan.
    static func batches(_ row: String, _ what: String, _ samples: [Sample]) -> Finding {
        let reports = samples.compactMap(\.report)
        let plans = Set(reports.map { $0.plan ?? "none" }).sorted().joined(separator: ", ")
        let batches = reports.map { Double($0.batches) }.median.formatted(digits: 0)
        let middle = reports.map(\.longestBatchMilliseconds).median.formatted(digits: 1)
        return Finding(
            context: row, "\(what): longest batch", reports.map(\.longestBatchMilliseconds).largest, "ms",
            detail: "plan \(plans), \(batches) batches, the runs' longest: median \(middle) ms")
    }
}
