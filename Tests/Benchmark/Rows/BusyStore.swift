/// Rows 6, 7, 8, 15 and 18: an app inserts while rows are deleted.
extension Measurement {
    static let inserts = Measurement("6", "7") { race, sizes in
        try sizes.usual.flatMap { records -> [Finding] in
            let job = Job(recipe: StoreRecipe(records: records))
            let what = "\(records.inWords), an insert every 3 ms"
            let samples = try race.run(
                "6", what,
                [
                    Entry("pruned", .pruned, job, beside: .inserting),
                    Entry("A", .oneStatement, job, beside: .inserting),
                    Entry("nobody", .nobody(seconds: sizes.aloneSeconds), job, beside: .inserting),
                ])
            let ours = samples["pruned"] ?? []
            let speeds = [ours, samples["A"] ?? []].map { samples in
                samples.map { Double($0.report?.deleted ?? job.expired) / $0.usage.wallSeconds }.median
            }
            let detail = speeds.map { ($0 / 1_000).formatted(digits: 0) }.joined(separator: " : ")
            func context(_ who: String, _ samples: [Sample]?) -> Finding {
                Finding(
                    "6", "\(what): its longest wait while \(who) deletes",
                    (samples ?? []).longestWait, .context("ms"), detail: (samples ?? []).waits)
            }
            return [
                .wait("6", "\(what): its longest wait", ours),
                context("A", samples["A"]),
                context("nobody", samples["nobody"]),
                .batches("6", what, ours),
                Finding(
                    "7", "\(what): rows deleted per second", speeds[0] / speeds[1], .atLeast(0.5, "x A"),
                    detail: "\(detail) thousand", decided: ours.unfinished.isEmpty ? nil : false),
            ]
        }
    }

    /// Beside long reads, which keep the write-ahead log from being reset.
    static let longReads = Measurement("8") { race, sizes in
        let job = Job(recipe: StoreRecipe(records: sizes.middle))
        let what = "\(sizes.middle.inWords), inserts and long reads: the log"
        let samples =
            try race.run(
                "8", what, [Entry("pruned", .pruned, job, beside: .inserting, .longReads, .shiftedLongReads)])[
                "pruned"] ?? []
        let longest = samples.map { Double($0.logBytes) / 1e6 }.largest
        let reports = samples.compactMap(\.report)
        let ends = Dictionary(grouping: reports, by: \.outcome).sorted { $0.key < $1.key }
            .map { outcome, reports in
                let deleted = Int(reports.map { Double($0.deleted) }.median).inWords
                let reason = reports.lazy.compactMap(\.reason).first.map { ": " + $0 } ?? ""
                return "\(reports.count) x \(outcome) with \(deleted) deleted\(reason)"
            }
        let haveAllStopped = reports.allSatisfy { $0.outcome == "stopped" && $0.reason != nil }
        return [
            Finding(
                "8", what, longest, .atMost(16, "MB"), detail: ends.joined(separator: "; "),
                decided: haveAllStopped ? true : nil, holdsForSmallStores: true)
        ]
    }

    static let archivingBesideInserts = Measurement("15") { race, sizes in
        let job = Job(recipe: StoreRecipe(records: sizes.middle), archive: true)
        let what = "\(sizes.middle.inWords), an insert every 3 ms, archiving"
        let samples = try race.run("15", what, [Entry("pruned", .pruned, job, beside: .inserting)])
        return [
            .wait("15", "\(what): its longest wait", samples["pruned"]),
            .batches("15", what, samples["pruned"]),
        ]
    }

    /// A tenth is expired, in no order: most pages have one of these rows, and none has many.
    ///
    /// The usual schema's app leaves SQLite's settings as they are, and so checkpoints in its own commits.
    static let noOrder = Measurement("18") { race, sizes in
        try [StoreRecipe.Schema.reader, .usual].flatMap { schema -> [Finding] in
            let recipe = StoreRecipe(schema: schema, ids: .random, records: sizes.middle, isInOrder: false)
            let job = Job(recipe: recipe, expiring: .readRecords(.tenth))
            let (peer, name, limit) =
                schema == .reader ? ("A", "default store", 1.2) : ("B", "usual schema", 2.0)
            let what = "a tenth of \(sizes.middle.inWords), times in no order, \(name)"
            let beside = "pruned, with an insert every 3 ms"
            let samples = try race.run(
                "18", what,
                [
                    Entry("pruned", .pruned, job), Entry(peer, .oneStatement, job),
                    Entry(beside, .pruned, job, beside: .inserting),
                ])
            return [
                .ratio("18", what, samples["pruned"], to: samples[peer], named: peer, atMost: limit),
                .batches("18", what, samples["pruned"]),
                .wait("18", "\(what): longest wait of an app", samples[beside]),
            ]
        }
    }
}
