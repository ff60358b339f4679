/// What the cases measure with.
final class Laboratory {
    /// The program under test.
    let pruned: String
    let sizes: Sizes
    private let race: Race
    /// Every race so far.
    private(set) var series: [Results.Series] = []

    init(pruned: String, sizes: Sizes, race: Race) {
        self.pruned = pruned
        self.sizes = sizes
        self.race = race
    }

    var masters: MasterStores { race.masters }

    /// The samples of each entry, by its name.
    func race(_ title: String, _ entries: [Entry], roundsAtMost limit: Int = .max, times: Int = 1) throws
        -> [String: [Sample]]
    {
        let samples = try race.run(title, entries, roundsAtMost: limit, times: times)
        for entry in entries {
            series.append(Results.Series(title: title, entry: entry.name, samples: samples[entry.name] ?? []))
        }
        return samples
    }
}
