import DefaultStore
import FoundationEssentials
import PolicyFile
import Pruning
import Retention
import SQLitePruning

/// Proposes rules for a database that is in no configuration yet.
struct Suggestion {
    /// Absolute, and without links.
    let path: String
    /// The policy that the rules would be added to; nil if there is none that can be read.
    let known: RetentionPolicy?
    /// The presets that are installed.
    let library: PresetLibrary
    private let now = SystemTime.now
    private let zone = Zone.current

    init(path: String, known: RetentionPolicy?, library: PresetLibrary) {
        self.path = path
        self.known = known
        self.library = library
    }

    func execute() throws(Failure) -> ExitStatus {
        let text = try WorkTimer.watch { control throws(Failure) in try proposal(control) }
        try StandardStream.output.write(text)
        return .done
    }

    private func proposal(_ control: RunControl) throws(Failure) -> String {
        let sketching = StoreSketching(path: path, control: control)
        let sketch: StoreSketch
        do { sketch = try sketching.take() } catch {
            guard error.kind == .damaged else { throw Failure(error) }
            throw Failure(
                .damaged, "\(path) is no database that can be read: \(error.cause)",
                hint: "name the file of an SQLite database")
        }
        guard sketch.application != Int64(ReaderSchema.applicationID) else {
            throw Failure(
                .failed, "\(path) is a store of the reading app, which the built-in policy prunes",
                hint: "`pruned check --defaults` prints its rules")
        }
        let preset = PresetSuggestion(path: path, known: known, library: library, now: now)
        if let text = try preset.text(sketch, sketching, control) { return text }
        do { return try text(of: sketch, control) } catch { throw Failure(error) }
    }

    /// The rules that the tables suggest. Throws if there is none.
    private func text(of sketch: StoreSketch, _ control: RunControl) throws(StoreError) -> String {
        let name = names.store
        let store = SQLiteStore(
            StoreDefinition(name: name, path: path), path: path, holder: "pruned suggest",
            monotonic: SystemTime.monotonic)
        let view = try store.openView(control)
        defer { view.close() }
        let patience = SystemTime.monotonic() + Self.longestCount
        var (rules, others): ([ProposalText.Rule], [(table: String, reason: String)]) = ([], [])
        for table in sketch.tables {
            switch TableProposal(for: table, in: sketch.tables, at: now) {
            case .none(let table, let reason): others.append((table, reason))
            case .rule(let proposal):
                let ruleName = names.rule(on: table.name, among: rules.map(\.name))
                rules.append(judged(proposal, ruleName, name, on: view, until: patience))
            }
        }
        guard !rules.isEmpty else {
            let small = sketch.tables.count { $0.rows < TableProposal.fewRows }
            throw StoreError(
                .other, operation: "propose a rule", place: path,
                cause: "no app is known that has such tables, and none of the "
                    + "\(sketch.tables.count.counted("table")) has recent times and"
                    + " \(TableProposal.fewRows.grouped) rows or more (\(small) with fewer)",
                hint: "pruned.toml(5) says what a rule needs")
        }
        return ProposalText(
            store: name, path: path, lacksLog: sketch.lacksLog, rules: rules, others: others, now: now
        ).text
    }

    /// Compares a proposal with the store, and counts what it would delete. Where that would take too long, it is
    /// estimated.
    private func judged(
        _ proposal: RuleProposal, _ name: Name, _ store: Name, on view: any ViewContext, until end: Duration
    ) -> ProposalText.Rule {
        let rules = SuggestedKeeps.all.map { proposal.rule(named: name, on: store, keep: $0) }
        var misfit: String?
        do {
            try view.checkScans(of: rules[0])
            try checkText(of: proposal, name, store)
        } catch let error as StoreError {
            misfit = error.hint.map { "\(error.cause) (\($0))" } ?? error.cause
        } catch {
            misfit = "\(error)"
        }
        let isSmall = SuggestedKeeps.areCountable(in: proposal.table)
        let counted = rules.compactMap { rule -> Int64? in
            guard misfit == nil, isSmall, SystemTime.monotonic() < end else { return nil }
            return try? view.census(of: PruneTask(rule, start: now, in: zone)).expired
        }
        let isCounted = counted.count == rules.count
        let rows =
            isCounted ? counted : SuggestedKeeps.all.map { proposal.estimate(keep: $0, at: now, in: zone) }
        return ProposalText.Rule(
            name: name, proposal: proposal, counts: Array(zip(SuggestedKeeps.all, rows).map { ($0, $1) }),
            isEstimate: !isCounted, misfit: misfit)
    }

    /// Throws if the rule alone is no valid configuration.
    private func checkText(of proposal: RuleProposal, _ name: Name, _ store: Name) throws(PolicyFileError) {
        let counts = SuggestedKeeps.all.map { (keep: $0, rows: Int64(0)) }
        let rule = ProposalText.Rule(
            name: name, proposal: proposal, counts: counts, isEstimate: true, misfit: nil)
        let text = ProposalText(
            store: store, path: path, lacksLog: false, rules: [rule], others: [], now: now)
        _ = try Configuration(text.text, file: "the proposal", systemTimeZone: zone)
    }

    private var names: SuggestedNames { SuggestedNames(path: path, known: known) }

    /// How long to count rows in all.
    private static let longestCount: Duration = .seconds(1)
}
