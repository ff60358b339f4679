import DefaultStore
import FoundationEssentials
import Glibc
import PolicyFile
import Pruning
import Retention

/// Proposes rules for a database that is in no configuration yet.
struct Suggestion {
    let job: SuggestionJob
    let sketching: any StoreSketching
    let opening: PresetSuggestion.Opening
    let control: RunControl
    private let now = SystemTime.now
    private let zone = Zone.current
    private var place: SuggestedPlace { SuggestedPlace(kind: job.kind) }

    init(
        _ job: SuggestionJob, sketching: any StoreSketching, _ control: RunControl,
        opening: @escaping PresetSuggestion.Opening
    ) {
        (self.job, self.sketching, self.opening, self.control) = (job, sketching, opening, control)
    }

    /// The text of a configuration.
    func proposal() throws(Failure) -> String {
        if let path = place.path { try refuseEmptyFile(path) }
        // One that is no preset is passed over; `pruned presets` reports it.
        let presets = job.presets.compactMap { try? Preset($0.name, file: $0.file, text: $0.text) }
        let sketch: StoreSketch
        do { sketch = try sketching.take() } catch {
            guard error.kind == .damaged, let path = place.path else { throw Failure(error) }
            throw Failure(
                .damaged, "\(path) is no database that can be read: \(error.cause)",
                hint: "name the file of an SQLite database")
        }
        guard sketch.application != Int64(ReaderSchema.applicationID) else {
            throw Failure(
                .failed, "\(place.text) is a store of the reading app, which the built-in policy prunes",
                hint: "`pruned check --defaults` prints its rules")
        }
        let suggestion = PresetSuggestion(job, presets: presets, opening: opening, now: now)
        switch try suggestion.find(sketch, sketching, control) {
        case .preset(let text): return text
        case .none(let alike):
            let none = presets.isEmpty ? ["No preset was found in \(job.presetPlaces)."] : []
            let remarks = none + sketch.remarks + alike.prefix(Self.mostAlike)
            do { return try text(of: sketch, remarks) } catch { throw Failure(error) }
        }
    }

    private static let mostAlike = 3

    /// To SQLite it is a database that has nothing yet.
    private func refuseEmptyFile(_ path: String) throws(Failure) {
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_size == 0 else { return }
        throw Failure(
            .failed, "\(path) is an empty file, without any table",
            hint: "its app creates the tables; until then there is nothing to prune")
    }

    /// What the tables have, and the rules that they could have. Throws if there is none.
    private func text(
        of sketch: StoreSketch, _ remarks: [String]
    ) throws(StoreError) -> String {
        let names = SuggestedNames(job, database: sketch.database)
        let name = names.store
        let view = try opening(StoreDefinition(name: name, kind: place.kind), []).openView(control)
        defer { view.close() }
        let patience = SystemTime.monotonic() + Self.longestCount
        let look = try TableLooks(in: sketch, at: now, asking: sketching)
        var (rules, small): ([ProposalText.Rule], [String]) = ([], [])
        var others: [(table: String, reason: String)] = []
        for proposal in look.proposals {
            switch proposal {
            case .small(let table): small.append(table)
            case .none(let table, let reason): others.append((table, reason))
            case .rule(let proposal):
                let ruleName = names.rule(on: proposal.table.name, among: rules.map(\.name))
                rules.append(judged(proposal, ruleName, name, on: view, until: patience))
            }
        }
        guard !rules.isEmpty || !others.isEmpty else {
            throw nothing(in: sketch, fewRows: look.fewRows, remarks)
        }
        if sketch.unseen > 0 { others.append(("\(sketch.unseen.counted("more table"))", "not looked at")) }
        return ProposalText(
            store: name, kind: place.kind, lacksLog: sketch.lacksLog, remarks: remarks + look.remarks,
            rules: ProposalText.fitting(rules, store: name, kind: place.kind, systemTimeZone: zone),
            others: .init(
                reasons: others, small: small, fewRows: look.fewRows), now: now
        ).text
    }

    /// Why there is nothing to say of any table.
    private func nothing(in sketch: StoreSketch, fewRows: Int64, _ remarks: [String]) -> StoreError {
        let all = sketch.tables.count + sketch.unseen
        let looked =
            sketch.tables.count.counted("table")
            + (sketch.unseen > 0 ? " that were looked at, of \(all.grouped)," : "")
        return StoreError(
            .other, operation: "propose a rule", place: place.text,
            cause: all == 0
                ? "it has no tables"
                : "no app is known that has such tables, and each of \(looked) has fewer than"
                    + " \(fewRows.grouped) rows",
            hint: (remarks + ["pruned.toml(5) says what a rule needs"]).joined(separator: " "))
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
            try UnitCheck(task: PruneTask(rules[0], start: now, in: zone), place: place.text).check(view)
        } catch {
            misfit = error.hint.map { "\(error.cause) (\($0))" } ?? error.cause
        }
        let isSmall = proposal.table.isCountable
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

    /// How long to count rows in all.
    private static let longestCount: Duration = .seconds(1)
}

extension StoreSketch {
    /// What is known of a database of a framework that many apps use.
    fileprivate var remarks: [String] {
        tables.contains { $0.name == "Z_PRIMARYKEY" }
            ? [
                "This is a database of Core Data: `pruned presets core-data` is an example to copy, and says which"
                    + " tables to leave alone."
            ] : []
    }
}
