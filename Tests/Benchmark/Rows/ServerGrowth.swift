import TestSupport

/// Rows 28, 29, 30 and 32: tables of other kinds.
extension Measurement {
    static let nothingOnServer = Measurement("28") { race, sizes in
        let server = try ServerRace(race)
        let job = ServerJob(
            recipe: ServerRecipe(table: .records, rows: sizes.large), share: ExpiredShare.none)
        let what = "PostgreSQL, nothing of \(sizes.large.inWords) rows, an index on time"
        let samples = try server.run(
            "28", what,
            [ServerEntry("pruned", .pruned, job), ServerEntry("connecting", .connecting, job)])
        let (ours, connecting) = (samples["pruned"] ?? [], samples["connecting"] ?? [])
        return [
            Finding(
                "28", what, (ours.wall - connecting.wall) * 1_000, .atMost(50, "ms over connecting"),
                detail: "\((ours.wall * 1_000).formatted(digits: 1)) ms, psql with SELECT 1 "
                    + "\((connecting.wall * 1_000).formatted(digits: 1)) ms")
        ]
    }

    static let partitions = Measurement("29") { race, sizes in
        let server = try ServerRace(race)
        let recipe = ServerRecipe(table: .days(100), rows: sizes.small)
        let job = ServerJob(recipe: recipe, drops: true)
        let what = "PostgreSQL, half of 100 daily partitions of \(recipe.rows.inWords) rows in all"
        let samples = try server.run(
            "29", what, [ServerEntry("pruned", .pruned, job), ServerEntry("one DELETE", .oneStatement, job)])
        let (ours, peer) = (samples["pruned"] ?? [], samples["one DELETE"] ?? [])
        return [
            Finding(
                "29", "\(what): dropped", ours.wall, .atMost(5, "s"),
                detail: "one DELETE \(peer.wall.formatted(digits: 2)) s")
        ]
    }

    static let manyPartitions = Measurement("32") { race, sizes in
        let server = try ServerRace(race)
        let days = race.checksAll ? 300 : 3_000
        let job = ServerJob(
            recipe: ServerRecipe(table: .days(days), rows: sizes.small), share: .none)
        let what = "PostgreSQL, \(days.inWords) partitions"
        let samples = try server.run(
            "32", what, [ServerEntry("a run", .pruned, job), ServerEntry("check", .check, job)])
        let (runs, checks) = (samples["a run"] ?? [], samples["check"] ?? [])
        return [
            Finding("32", "\(what): a run, nothing due", runs.wall, .atMost(2, "s"), detail: ""),
            Finding("32", "\(what): `pruned check`", checks.wall, .atMost(3, "s"), detail: ""),
        ]
    }

    static let serverMemory = Measurement("30") { race, sizes in
        let server = try ServerRace(race)
        let jobs = sizes.growing.map { ServerJob(recipe: ServerRecipe(table: .records, rows: $0)) }
        let samples = try server.run(
            "30", "growth on PostgreSQL", jobs.map { ServerEntry($0.recipe.rows.inWords, .pruned, $0) },
            roundsAtMost: 1)
        let files = try race.run(
            "30", "growth on SQLite",
            sizes.growing.map { Entry($0.inWords, .pruned, Job(recipe: StoreRecipe(records: $0))) },
            roundsAtMost: 1)
        func peaks(_ samples: [String: [Sample]]) -> [Double] {
            sizes.growing.map { (samples[$0.inWords] ?? []).peakMegabytes }
        }
        let (ours, others) = (peaks(samples), peaks(files))
        let detail = zip(sizes.growing, zip(ours, others)).map {
            "\($0.inWords): \($1.0.formatted(digits: 1)) : \($1.1.formatted(digits: 1))"
        }
        let own = Double(Usage.ownPeakBytes) / 1e6
        return [
            Finding(
                "30", "peak memory on PostgreSQL over that on SQLite",
                zip(ours, others).map { $0 - $1 }.largest,
                .atMost(5, "MB"),
                detail: detail.joined(separator: ", ")
                    + "; less than the benchmark's own \(own.formatted(digits: 1)) cannot be seen"),
            Finding(
                "30", "largest peak on PostgreSQL over the smallest", ours.largest - ours.smallest,
                .atMost(4, "MB"), detail: "which is what is taken for flat here"),
        ]
    }
}
