/// Rows 6 and 7: an app inserts while half of the read records are deleted.
struct BusyStore: Case {
    var rows: [String] { ["6", "7"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        try laboratory.sizes.usual.flatMap { try measure(records: $0, in: laboratory) }
            .filter { wanted.contains($0.row) }
    }

    private func measure(records: Int, in laboratory: Laboratory) throws -> [Finding] {
        let recipe = StoreRecipe(schema: .reader, ids: .followingTime, records: records)
        let job = Job(recipe: recipe, expiring: .readRecords(.half))
        let alone = Contender.nobody(seconds: laboratory.sizes.aloneSeconds)
        let what = "\(records.inWords), an insert every 3 ms"
        let samples = try laboratory.race(
            what,
            [
                Entry(
                    name: "pruned", contender: .pruned(laboratory.pruned), job: job, load: .inserting),
                Entry(name: "A", contender: .oneDelete, job: job, load: .inserting),
                Entry(name: "nobody", contender: alone, job: job, load: .inserting),
            ])
        let (ours, peer, nobody) = (samples["pruned"] ?? [], samples["A"] ?? [], samples["nobody"] ?? [])
        let speeds = [ours, peer].map { samples in
            samples.map { Double($0.report?.deleted ?? job.expired) / $0.usage.wallSeconds }.median
        }
        let detail = speeds.map { "\(($0 / 1_000).formatted(digits: 0))" }.joined(separator: " : ")
        let isUnfinished = !ours.unfinished.isEmpty
        return [
            Finding(
                "6", "\(what): its longest wait", ours.longestWait, .atMost(10, "ms"),
                detail: Self.detail(ours), decided: isUnfinished ? false : nil,
                holdsForSmallStores: isUnfinished),
            Self.context("\(what): its longest wait while A deletes", peer),
            Self.context("\(what): its longest wait while nobody deletes", nobody),
            .batches("6", what, ours),
            Finding(
                "7", "\(what): rows deleted per second", speeds[0] / speeds[1], .atLeast(0.5, "x A"),
                detail: "\(detail) thousand", decided: isUnfinished ? false : nil),
        ]
    }

    private static func context(_ what: String, _ samples: [Sample]) -> Finding {
        Finding(context: "6", what, samples.longestWait, "ms", detail: detail(samples))
    }

    static func detail(_ samples: [Sample]) -> String {
        let app = samples.compactMap(\.app)
        let longest = app.map(\.longestMilliseconds)
        let refused = app.map(\.refused).reduce(0, +)
        let unfinished = samples.unfinished
        let gaveUp = unfinished.first?.report.map {
            "\(unfinished.count) of \(samples.count) runs gave up (\($0.reason ?? "")); "
        }
        return (gaveUp ?? "")
            + "the runs' longest: median \(longest.median.formatted(digits: 1)) ms; 99 % of the waits <= "
            + "\(samples.p99Wait.formatted(digits: 2)) ms"
            + (refused > 0 ? "; \(refused) inserts failed as the store was busy" : "")
    }
}
