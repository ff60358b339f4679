/// Row 8: the app inserts and reads in long transactions, so that the write-ahead log can never be reset.
struct PinnedLog: Case {
    /// Of the write-ahead log.
    private static let limitMegabytes = 16.0

    var rows: [String] { ["8"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        let records = laboratory.sizes.middle
        let recipe = StoreRecipe(schema: .reader, ids: .followingTime, records: records)
        let job = Job(recipe: recipe, expiring: .readRecords(.half))
        let what = "\(records.inWords), inserts and long reads: the log"
        let samples = try laboratory.race(
            what,
            [
                Entry(
                    name: "pruned", contender: .pruned(laboratory.pruned), job: job,
                    load: .insertingAndReading)
            ])
        let ours = samples["pruned"] ?? []
        let longest = ours.compactMap { $0.longestLogBytes.map { Double($0) / 1e6 } }.largest
        let stops = ours.filter { $0.report?.outcome == "stopped" && $0.report?.reason != nil }
        return [
            Finding(
                "8", what, longest, .atMost(Self.limitMegabytes, "MB"), detail: Self.ends(ours),
                decided: stops.count == ours.count ? true : nil, holdsForSmallStores: true)
        ]
    }

    /// How the runs ended: "3 x stopped after 40 % (a reader ...)".
    private static func ends(_ samples: [Sample]) -> String {
        let reports = samples.compactMap(\.report)
        let outcomes = Dictionary(grouping: reports, by: \.outcome).sorted { $0.key < $1.key }
        return outcomes.map { outcome, reports in
            let deleted = reports.map { Double($0.deleted) }.median
            let reason = reports.lazy.compactMap(\.reason).first.map { ": " + $0 } ?? ""
            return "\(reports.count) x \(outcome) with \(Int(deleted).inWords) deleted\(reason)"
        }.joined(separator: "; ")
    }
}
