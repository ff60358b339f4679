import Pruning
import Retention
import TerminalText

/// The runs of which the archive still has rows, the latest first.
struct ArchivedRuns {
    private let runs: [Run]
    /// Whether a rule of the configuration archives.
    private let isFilled: Bool

    private struct Run {
        let id: String
        let rows: Int64
        let rules: [String]
    }

    /// `parts` are all parts of the archive, in its order.
    init(_ parts: [ArchivedPart], _ policy: RetentionPolicy) {
        isFilled = policy.rules.contains { $0.archiveKeep != nil }
        let parts = parts.filter { $0.rows > 0 }
        var ids: [String] = []
        for part in parts where ids.last != part.runID { ids.append(part.runID) }
        let byRun = Dictionary(grouping: parts, by: \.runID)
        runs = ids.map { id in
            let parts = byRun[id] ?? []
            return Run(
                id: id, rows: parts.map(\.rows).reduce(0, +),
                rules: Set(parts.map(\.rule)).sorted().map(\.description))
        }
    }

    /// What `rules` deleted in a run, or all of its rules, each part with its archive, and why some archives cannot be
    /// read. Throws if that is nothing.
    static func parts(
        ofRun run: String, rules: [String], in archives: Archives, _ control: RunControl
    ) throws(Failure) -> (parts: [(part: ArchivedPart, in: Name?)], failures: [StoreError]) {
        let (all, failures) = archives.parts(control)
        let ofRun = all.filter { $0.part.runID == run }
        guard !ofRun.isEmpty else {
            if let failure = failures.first { throw Failure(failure) }
            throw Failure(
                .usage, "the archive has no rows of a run \"\(run)\"",
                hint: ArchivedRuns(all.map(\.part), archives.policy).hint)
        }
        for name in rules where !ofRun.contains(where: { $0.part.rule.description == name }) {
            let rules = Set(ofRun.map(\.part.rule)).sorted().map(\.description).joined(separator: ", ")
            throw Failure(
                .usage, "the archive has no rows of rule \"\(name)\" in this run",
                hint: "it has rows of \(rules)")
        }
        return (ofRun.filter { rules.isEmpty || rules.contains($0.part.rule.description) }, failures)
    }

    /// Prints the runs.
    static func list(_ setup: Setup) throws(Failure) -> ExitStatus {
        try setup.checkState()
        let stores = try setup.stores(of: setup.configuration, purpose: "pruned restore")
        let control = RunControl(monotonic: SystemTime.monotonic)
        let sources = ProcessSignals.stop(control)
        defer { sources.forEach { $0.cancel() } }
        let (parts, failures) = stores.archives.parts(control)
        let text = ArchivedRuns(parts.map(\.part), setup.policy).text(
            within: StandardStream.output.width ?? .max)
        try StandardStream.output.write(text)
        for failure in failures { Failure(failure).report() }
        return failures.first.map { Failure($0).status } ?? .done
    }

    /// A line for each run.
    func text(within width: Int) -> String {
        guard !runs.isEmpty else { return empty + "\n" }
        let rows = runs.map { [$0.id, $0.rows.grouped, $0.rules.joined(separator: ", ")] }
        return TextTable(header: ["run", "rows", "deleted by"], rows: rows, numbers: [1], name: 2)
            .lines(within: width).map { $0 + "\n" }.joined()
    }

    /// What a person can name instead of an unknown run.
    var hint: String {
        guard !runs.isEmpty else { return empty }
        let latest = runs.prefix(5).map { "\($0.id) (\($0.rows.counted("row")))" }
        return "the latest runs in it are " + latest.joined(separator: ", ")
    }

    private var empty: String {
        "the archive is empty; "
            + (isFilled ? "rules with archive = true fill it" : "no rule of this configuration archives")
    }
}
