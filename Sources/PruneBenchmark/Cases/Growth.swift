/// Rows 9 and 12: what memory and time a run takes, from small stores to large ones.
struct Growth: Case {
    /// Of the largest over the smallest store's memory.
    private static let flatMegabytes = 4.0

    var rows: [String] { ["9", "12"] }

    func measure(_ wanted: Set<String>, in laboratory: Laboratory) throws -> [Finding] {
        let sizes =
            wanted.contains("9") ? laboratory.sizes.growing : Array(laboratory.sizes.growing.dropFirst())
        let pruned = laboratory.pruned
        var entries = sizes.map { records in
            let recipe = StoreRecipe(schema: .reader, ids: .followingTime, records: records)
            let job = Job(recipe: recipe, expiring: .readRecords(.half))
            return Entry(name: records.inWords, contender: .pruned(pruned), job: job)
        }
        guard let first = entries.first else { return [] }
        entries.append(Entry(name: "--version", contender: .version(pruned), job: first.job))
        let samples = try laboratory.race("growth", entries, roundsAtMost: 3)
        let memory = wanted.contains("9") ? Self.memory(sizes, samples) : []
        let start = (samples["--version"] ?? []).wall
        let time = sizes.filter { $0 != laboratory.sizes.growing.first }.map { records in
            let wall = (samples[records.inWords] ?? []).wall - start
            return PerRow(
                records: records, nanoseconds: wall / Double(ExpiredShare.half.rows(of: records)) * 1e9)
        }
        return memory + (wanted.contains("12") ? Self.time(time) : [])
    }

    private static func memory(_ sizes: [Int], _ samples: [String: [Sample]]) -> [Finding] {
        let peaks = sizes.map { (samples[$0.inWords] ?? []).peakMegabytes }
        let detail = zip(sizes, peaks).map { "\($0.inWords): \($1.formatted(digits: 1))" }.joined(
            separator: ", ")
        let own = Double(Usage.ownPeakBytes) / 1e6
        let range = "\((sizes.first ?? 0).inWords) to \((sizes.last ?? 0).inWords) rows"
        return [
            Finding(
                "9", "peak memory, \(range)", peaks.largest, .atMost(40, "MB"),
                detail: "\(detail); less than the benchmark's own \(own.formatted(digits: 1)) cannot be seen",
                holdsForSmallStores: true),
            Finding(
                "9", "largest peak over the smallest", peaks.largest - peaks.smallest,
                .atMost(flatMegabytes, "MB"), detail: "which is what is taken for flat here"),
        ]
    }

    private struct PerRow {
        let records: Int
        /// For each deleted row, less what starting the program takes.
        let nanoseconds: Double
    }

    private static func time(_ costs: [PerRow]) -> [Finding] {
        guard let base = costs.first else { return [] }
        let deviations = costs.map { ($0.nanoseconds / base.nanoseconds - 1) * 100 }
        let detail = zip(costs, deviations).map { cost, deviation in
            let percent = String(format: "%+.0f %%", deviation)
            return "\(cost.records.inWords): \(cost.nanoseconds.formatted(digits: 0)) ns (\(percent))"
        }
        return [
            Finding(
                "12", "time per deleted row, farthest from that of \(base.records.inWords)",
                deviations.map(abs).largest, .atMost(15, "%"), detail: detail.joined(separator: ", "))
        ]
    }
}
