extension [Sample] {
    var wall: Double { map(\.usage.wallSeconds).median }
    var processor: Double { map(\.usage.processorSeconds).median }
    /// In millions of bytes.
    var peakMegabytes: Double { map { Double($0.usage.peakBytes) / 1e6 }.largest }
    /// The median of the runs' longest batches, in milliseconds.
    var longestBatch: Double { compactMap { $0.report?.longestBatchMs }.median }
    /// The longest call of the app's in any of the runs, in milliseconds.
    var longestWait: Double { compactMap { $0.app?.longestMilliseconds }.largest }
    /// In milliseconds; the median of the runs.
    var p99Wait: Double { compactMap { $0.app?.p99Milliseconds }.median }
    /// Those in which pruned gave up before everything was deleted.
    var unfinished: [Sample] { filter { $0.report.map { $0.outcome != "done" } ?? false } }

    /// "2 of 5 runs gave up (a reader ...); ", or nothing.
    var givingUp: String {
        guard let first = unfinished.first else { return "" }
        return "\(unfinished.count) of \(count) runs gave up (\(first.report?.reason ?? "")); "
    }

    /// The runs' longest waits of the app, and what nearly all waits are below.
    var waits: String {
        let app = compactMap(\.app)
        let refused = app.map(\.refused).reduce(0, +)
        return givingUp + "the runs' longest: median "
            + "\(app.map(\.longestMilliseconds).median.formatted(digits: 1)) ms; 99 % of the waits <= "
            + "\(p99Wait.formatted(digits: 2)) ms"
            + (refused > 0 ? "; \(refused) inserts failed as the store was busy" : "")
    }
}

extension Finding {
    /// How long `ours` took, in terms of `peer`; with a limit, it is a target.
    static func ratio(
        _ row: String, _ what: String, _ ours: [Sample]?, to peer: [Sample]?, named name: String,
        atMost limit: Double?
    ) -> Finding {
        let (ours, peer) = (ours ?? [], peer ?? [])
        let value = ours.wall / peer.wall
        let detail =
            "\(pair(ours.wall, peer.wall, 2)) s, CPU \(pair(ours.processor, peer.processor, 2)) s"
        let target = limit.map { Target.atMost($0, "x \(name)") } ?? .context("x \(name)")
        return Finding(row, what, value, target, detail: detail)
    }

    /// The longest batch of `samples`, with their access path.
    static func batches(_ row: String, _ what: String, _ samples: [Sample]?) -> Finding {
        let reports = (samples ?? []).compactMap(\.report)
        let paths = Set(reports.map { $0.path ?? "none" }).sorted().joined(separator: ", ")
        let batches = reports.map { Double($0.batches) }.median.formatted(digits: 0)
        return Finding(
            row, "\(what): longest batch", reports.map(\.longestBatchMs).largest, .context("ms"),
            detail: "access path \(paths), \(batches) batches, the runs' longest: median "
                + "\((samples ?? []).longestBatch.formatted(digits: 1)) ms")
    }

    /// The longest wait of the app in all runs; a run that gave up misses the target, unless it may.
    static func wait(
        _ row: String, _ what: String, _ samples: [Sample]?, mayStop: Bool = false
    ) -> Finding {
        let samples = samples ?? []
        let isUnfinished = !mayStop && !samples.unfinished.isEmpty
        return Finding(
            row, what, samples.longestWait, .atMost(10, "ms"), detail: samples.waits,
            decided: isUnfinished ? false : nil, holdsForSmallStores: isUnfinished)
    }

    /// How long each build of pruned after the first took, in terms of the first.
    static func comparisons(_ series: [Series]) -> [Finding] {
        let groups = Dictionary(grouping: series.filter { $0.program != nil }) {
            [$0.row, $0.title, $0.entry]
        }
        return series.flatMap { before -> [Finding] in
            let group = groups[[before.row, before.title, before.entry]] ?? []
            guard before.program != nil, before.program == group.first?.program else { return [] }
            return group.dropFirst().map { comparison(before, $0) }
        }
    }

    private static func comparison(_ before: Series, _ after: Series) -> Finding {
        let (old, new) = (before.samples, after.samples)
        let pairs = zip(old, new).map { $1.usage.wallSeconds / $0.usage.wallSeconds }
        var parts = [
            "\(pair(new.wall, old.wall, 3)) s", "median of the pairs \(pairs.median.formatted(digits: 2)) x",
            "CPU \(pair(new.processor, old.processor, 3)) s",
            "peak \(pair(new.peakMegabytes, old.peakMegabytes, 1)) MB",
        ]
        if new.contains(where: { $0.report != nil }) {
            parts.append("batches up to \(pair(new.longestBatch, old.longestBatch, 1)) ms")
        }
        if new.contains(where: { $0.app != nil }) {
            parts.append("app's longest wait \(pair(new.longestWait, old.longestWait, 1)) ms")
            parts.append("99 % \(pair(new.p99Wait, old.p99Wait, 2)) ms")
        }
        if !(old + new).unfinished.isEmpty {
            parts.append("\(new.unfinished.count) : \(old.unfinished.count) runs gave up")
        }
        let name = before.entry == "pruned" ? "" : ", \(before.entry)"
        return Finding(
            before.row, before.title + name, new.wall / old.wall, .atMost(1.07, "x before"),
            detail: parts.joined(separator: "; "))
    }

    private static func pair(_ first: Double, _ second: Double, _ digits: Int) -> String {
        "\(first.formatted(digits: digits)) : \(second.formatted(digits: digits))"
    }
}
