extension Measurement {
    /// What is measured on PostgreSQL.
    static let onServer = [
        wholeRun, besideUpdates, replica, onePercentOnServer, nothingOnServer, partitions, serverMemory,
        manyPartitions,
    ]

    /// Row 24: a reader's articles.
    private static let wholeRun = Measurement("24") { race, sizes in
        let server = try ServerRace(race)
        let job = ServerJob(recipe: ServerRecipe(rows: sizes.middle))
        let what = "PostgreSQL, 44 % of \(sizes.middle.inWords) articles"
        let one = try server.run(
            "24", what, [ServerEntry("pruned", .pruned, job), ServerEntry("one DELETE", .oneStatement, job)])
        // They take many times as long.
        let long = try server.run(
            "24", what,
            [10_000, 1_000].map { ServerEntry("LIMIT \($0)", .loop(limit: $0), job) }, roundsAtMost: 1)
        let ours = one["pruned"] ?? []
        return [
            .ratio(
                "24", "\(what), against what pg_cron would run", ours, to: one["one DELETE"],
                named: "one DELETE", atMost: 1.5),
            loop(what, ours, long, limit: 10_000, atMost: 0.35),
            loop(what, ours, long, limit: 1_000, atMost: 0.08),
            longestBatch("24", what, ours),
        ]
    }

    private static func loop(
        _ what: String, _ ours: [Sample], _ loops: [String: [Sample]], limit: Int, atMost target: Double
    ) -> Finding {
        let loop = loops["LIMIT \(limit)"] ?? []
        let longest = loop.compactMap(\.server?.longestTransactionMs).largest
        return Finding(
            "24", "\(what), against a loop of DELETEs", ours.wall / loop.wall,
            .atMost(target, "x LIMIT \(limit)"),
            detail:
                "\(ours.wall.formatted(digits: 2)) : \(loop.wall.formatted(digits: 2)) s, one run of the loop; its "
                + "longest transaction \(longest.formatted(digits: 0)) ms")
    }

    /// What the longest of all runs was, with its access path.
    static func longestBatch(
        _ row: String, _ what: String, _ samples: [Sample], atMost target: Double = 25
    ) -> Finding {
        let context = Finding.batches(row, what, samples)
        return Finding(row, context.what, context.value, .atMost(target, "ms"), detail: context.detail)
    }

    /// Row 25: an app updates the table meanwhile.
    private static let besideUpdates = Measurement("25") { race, sizes in
        let server = try ServerRace(race)
        let recipe = ServerRecipe(rows: sizes.middle)
        let job = ServerJob(recipe: recipe)
        let what = "PostgreSQL, \(recipe.rows.inWords) articles, 500 updates a second"
        let samples = try server.run(
            "25", what,
            [
                ServerEntry("nobody", .nobody(seconds: sizes.aloneSeconds), job, besideApp: true),
                ServerEntry("pruned", .pruned, job, besideApp: true),
                ServerEntry("one DELETE", .oneStatement, job, besideApp: true),
            ])
        let (alone, ours) = (samples["nobody"] ?? [], samples["pruned"] ?? [])
        return [
            Finding(
                "25", "\(what): 99.9 % of them while pruned deletes", ours.p999 / alone.p999,
                .atMost(2, "x alone"), detail: ours.updates),
            Finding(
                "25", "\(what): 99.9 % of them alone", alone.p999, .context("ms"), detail: alone.updates),
            Finding(
                "25", "\(what): 99.9 % of them while one DELETE runs", (samples["one DELETE"] ?? []).p999,
                .context("ms"), detail: (samples["one DELETE"] ?? []).updates),
            longestBatch("25", what, ours),
        ]
    }

    /// Row 27: few rows go, and the index on time finds them.
    private static let onePercentOnServer = Measurement("27") { race, sizes in
        let server = try ServerRace(race)
        let recipe = ServerRecipe(rows: sizes.middle)
        let job = ServerJob(recipe: recipe, share: .onePercent)
        let what = "PostgreSQL, 1 % of \(recipe.rows.inWords) articles, an index on time"
        let samples = try server.run(
            "27", what, [ServerEntry("pruned", .pruned, job), ServerEntry("one DELETE", .oneStatement, job)])
        return [
            .ratio(
                "27", what, samples["pruned"], to: samples["one DELETE"], named: "one DELETE", atMost: 1.5),
            longestBatch("27", what, samples["pruned"] ?? []),
        ]
    }
}

extension [Sample] {
    /// The median of the runs' 99.9 %, in milliseconds.
    var p999: Double { compactMap(\.server?.p999Milliseconds).median }

    var updates: String {
        let figures = compactMap(\.server)
        let each = figures.compactMap(\.p999Milliseconds).map { $0.formatted(digits: 1) }
        return "\(figures.compactMap(\.updates).reduce(0, +).inWords) updates in "
            + "\(map(\.usage.wallSeconds).reduce(0, +).formatted(digits: 1)) s; the runs' 99.9 % "
            + "\(each.joined(separator: ", ")) ms, median "
            + "\(figures.compactMap(\.medianMilliseconds).median.formatted(digits: 1)) ms, the longest "
            + "\(figures.compactMap(\.longestMilliseconds).largest.formatted(digits: 0)) ms"
    }
}
