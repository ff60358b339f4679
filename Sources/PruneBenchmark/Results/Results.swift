/// All that a benchmark has found, with every single run: what `--json` writes.
struct Results: Codable {
    struct Series: Codable {
        let title: String
        let entry: String
        let samples: [Sample]
    }

    let machine: Machine
    let startedAt: String
    let rounds: Int
    /// Whether small stores were used, to see that all of it works.
    let isQuick: Bool
    let findings: [Finding]
    let series: [Series]
    /// What went wrong; the figures mean nothing unless it is empty.
    let wrongResults: [String]
}
