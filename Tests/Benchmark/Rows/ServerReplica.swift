extension Measurement {
    /// Row 26: a replica follows.
    static let replica = Measurement("26") { race, sizes in
        let server = try ServerRace(race, withStandby: true)
        let job = ServerJob(recipe: ServerRecipe(rows: sizes.middle), maxLag: "1s")
        let what = "PostgreSQL, 44 % of \(sizes.middle.inWords) articles, with a replica"
        let samples = try server.run(
            "26", what, [ServerEntry("pruned", .pruned, job), ServerEntry("one DELETE", .oneStatement, job)],
            roundsAtMost: 3)
        return [
            lag("pruned", what, samples, .atMost(2, "s")), lag("one DELETE", what, samples, .context("s")),
        ]
    }

    private static func lag(
        _ name: String, _ what: String, _ samples: [String: [Sample]], _ target: Target
    ) -> Finding {
        let own = samples[name] ?? []
        return Finding(
            "26", "\(what): how far it is behind \(name)",
            own.compactMap(\.server?.lagSeconds).largest, target,
            detail: "the run took \(own.wall.formatted(digits: 2)) s")
    }
}
