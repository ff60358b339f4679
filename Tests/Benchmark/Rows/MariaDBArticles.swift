extension Measurement {
    /// What is measured on MariaDB.
    static let onMariaDB = [wholeRunOnMariaDB, besideUpdatesOnMariaDB]

    /// Row 33: a reader's articles.
    private static let wholeRunOnMariaDB = Measurement("33") { race, sizes in
        let server = try MariaDBRace(race, MariaDBJob(rows: sizes.mariaDB))
        let what = "MariaDB, 44 % of \(sizes.mariaDB.inWords) articles"
        let samples = try server.run(
            "33", what,
            [
                MariaDBEntry("pruned", .pruned), MariaDBEntry("one DELETE", .oneStatement),
                MariaDBEntry("pt-archiver", .archiver),
            ])
        // It takes many times as long.
        let long = try server.run(
            "33", what, [MariaDBEntry("LIMIT 1000", .loop(limit: 1_000))], roundsAtMost: 1)
        let (ours, loop) = (samples["pruned"] ?? [], long["LIMIT 1000"] ?? [])
        let longest = loop.compactMap(\.server?.longestTransactionMs).largest
        return [
            .ratio("33", what, ours, to: samples["one DELETE"], named: "one DELETE", atMost: 1.8),
            .ratio(
                "33", "\(what), against pt-archiver --bulk-delete --limit 1000", ours,
                to: samples["pt-archiver"], named: "pt-archiver", atMost: 1.1),
            Finding(
                "33", "\(what), against a loop of DELETEs", ours.wall / loop.wall,
                .atMost(0.35, "x LIMIT 1000"),
                detail: "\(ours.wall.formatted(digits: 2)) : \(loop.wall.formatted(digits: 2)) s, one run of "
                    + "the loop; its longest transaction \(longest.formatted(digits: 0)) ms"),
            .batches("33", what, ours),
        ]
    }

    /// Row 34: an app updates the table meanwhile.
    private static let besideUpdatesOnMariaDB = Measurement("34") { race, sizes in
        let server = try MariaDBRace(race, MariaDBJob(rows: sizes.mariaDB))
        let what = "MariaDB, \(sizes.mariaDB.inWords) articles, 200 updates a second"
        let samples = try server.run(
            "34", what,
            [
                MariaDBEntry("nobody", .nobody(seconds: sizes.aloneSeconds), besideApp: true),
                MariaDBEntry("pruned", .pruned, besideApp: true),
                MariaDBEntry("one DELETE", .oneStatement, besideApp: true),
            ])
        let (alone, ours) = (samples["nobody"] ?? [], samples["pruned"] ?? [])
        return [
            Finding(
                "34", "\(what): 99.9 % of them while pruned deletes", ours.p999 / alone.p999,
                .atMost(3, "x alone"), detail: ours.updates),
            Finding(
                "34", "\(what): 99.9 % of them alone", alone.p999, .context("ms"), detail: alone.updates),
            Finding(
                "34", "\(what): 99.9 % of them while one DELETE runs", (samples["one DELETE"] ?? []).p999,
                .context("ms"), detail: (samples["one DELETE"] ?? []).updates),
            longestBatch("34", what, ours, atMost: 40),
        ]
    }
}
