/// Row 31: one run on many stores, against a loop of `sqlite3` processes that does the same, each with an archive of its own.
extension Measurement {
    static let manyStores = Measurement("31") { race, sizes in
        let stores = ManyStores(directory: race.masters.directory + "/many", count: sizes.stores)
        defer { stores.remove() }
        let runs = try ManyStores.Work.allCases.flatMap { work -> [Finding] in
            let what = "\(sizes.stores) stores, \(work.title)"
            let participants = [("pruned", true)] + (race.hasPeers ? [("a loop", false)] : [])
            let samples = try race.take(turns: "31", what, participants, rounds: min(race.rounds, 3)) {
                number, program, _ in
                try stores.run(work, by: number == 0 ? program : nil)
            }
            return findings(what, work, samples["pruned"] ?? [], samples["a loop"] ?? [])
        }
        return try runs + [sizes.stores, 4 * sizes.stores].flatMap { try screens(of: $0, race) }
    }

    /// What a person waits for who asks of all of them.
    private static func screens(of count: Int, _ race: Race) throws -> [Finding] {
        let stores = ManyStores(directory: race.masters.directory + "/many", count: count)
        try stores.make(for: .archiving)
        return try [("check", 5.0), ("plan", 8), ("status", 1)].map { command, limit in
            let what = "`pruned \(command)` of \(count) stores"
            let samples =
                try race.take(turns: "31", what, [("pruned", true)], rounds: min(race.rounds, 3)) {
                    _, program, _ in
                    try stores.ask(command, program)
                }["pruned"] ?? []
            return Finding(
                "31", what, samples.wall, .atMost(limit * Double(count) / 500, "s"),
                detail: "CPU \(samples.processor.formatted(digits: 2)) s")
        }
    }

    private static func findings(
        _ what: String, _ work: ManyStores.Work, _ ours: [Sample], _ loop: [Sample]
    ) -> [Finding] {
        let limit =
            switch work {
            case .archiving: 2.0
            case .deleting: 1.3
            case .nothing: 1.0
            }
        let time = Finding.ratio("31", what, ours, to: loop, named: "a loop", atMost: limit)
        let memory = Finding(
            "31", "\(what): peak memory", ours.peakMegabytes, .atMost(60, "MB"), detail: "all stores together"
        )
        guard work == .archiving else { return [time, memory] }
        let processor = Finding(
            "31", "\(what): processor time", ours.processor / loop.processor, .atMost(2.5, "x a loop"),
            detail: "\(ours.processor.formatted(digits: 2)) : \(loop.processor.formatted(digits: 2)) s")
        return [time, processor, memory]
    }
}
