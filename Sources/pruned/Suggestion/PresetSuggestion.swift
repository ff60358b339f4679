import FoundationEssentials
import PolicyFile
import Pruning
import Retention

/// Finds the preset that a store fits, and proposes a configuration with it.
struct PresetSuggestion {
    let job: SuggestionJob
    let presets: [Preset]
    let opening: Opening
    let now: Date
    private var place: SuggestedPlace { SuggestedPlace(kind: job.kind) }

    init(_ job: SuggestionJob, presets: [Preset], opening: @escaping Opening, now: Date) {
        (self.job, self.presets, self.opening, self.now) = (job, presets, opening, now)
    }

    /// Opens the store by some definition, with rules of which only a view is used.
    typealias Opening = (StoreDefinition, [RetentionRule]) -> any PrunableStore

    private struct Candidate {
        let preset: Preset
        let name: Name
        /// The prefix of the store's tables; nil if it is the preset's own, or if that has none.
        let prefix: String?
        let policy: RetentionPolicy
    }

    /// What a store is.
    enum Finding {
        /// An app's, for which this is the configuration.
        case preset(text: String)
        /// No known app's; the texts say which apps have tables of the same names.
        case none(alike: [String])
    }

    /// Throws if a preset is for such a store, but knows another schema: then the app may have a new way to say what
    /// matters, and rules by what the tables have would not know it.
    func find(
        _ sketch: StoreSketch, _ sketching: any StoreSketching, _ control: RunControl
    ) throws(Failure) -> Finding {
        let candidates = candidates(sketch)
        let fits: [GateFit]
        do {
            fits = try sketching.fit(
                candidates.compactMap { candidate in
                    candidate.policy.stores.first?.gate.map {
                        GatedRules(gate: $0, rules: candidate.policy.rules)
                    }
                })
        } catch {
            throw Failure(error)
        }
        let compared = Array(zip(candidates, fits))
        let found = compared.compactMap { candidate, fit -> (Candidate, String)? in
            if case .fits(let versions) = fit { (candidate, versions) } else { nil }
        }
        let isNamed = { (found: (Candidate, String)) in
            found.0.preset.path?.split(separator: "/").last.map(String.init) == place.path?.lastName
        }
        guard let (candidate, versions) = found.first(where: isNamed) ?? found.first else {
            try refuse(compared)
            return .none(alike: likenesses(compared))
        }
        return .preset(
            text: PresetProposalText(
                candidate.preset, versions: versions, store: candidate.name, kind: place.kind,
                prefix: candidate.prefix,
                rules: candidate.policy.rules.map { judged($0, candidate, sketch, control) }, now: now
            ).text)
    }

    private func refuse(_ compared: [(Candidate, GateFit)]) throws(Failure) {
        for (candidate, fit) in compared {
            guard case .differs(let cause, let hint) = fit else { continue }
            throw Failure(
                .failed, "\(place.text) has the tables of \(candidate.preset.app), but \(cause)",
                hint: [hint, "`pruned presets \(candidate.preset.name)` shows what is known"]
                    .compactMap(\.self).joined(separator: "; "))
        }
    }

    private func likenesses(_ compared: [(Candidate, GateFit)]) -> [String] {
        compared.compactMap { candidate, fit in
            guard case .alike(let tables) = fit else { return nil }
            let named = tables.prefix(3).joined(separator: ", ") + (tables.count > 3 ? " and others" : "")
            return "\(candidate.preset.app) has tables of these names, too, but with other columns: \(named)"
                + " (`pruned presets \(candidate.preset.name)`)"
        }
    }

    /// The presets, each as the policy of a configuration with this store alone, and once more for each prefix with which
    /// its tables would be its app's.
    private func candidates(_ sketch: StoreSketch) -> [Candidate] {
        presets.filter { $0.format == place.format }.flatMap { preset -> [Candidate] in
            guard let usual = candidate(preset, nil, sketch) else { return [] }
            let prefixes = preset.otherPrefixes(of: sketch.tables.map(\.name), for: usual.policy.rules)
            return [usual] + prefixes.compactMap { candidate(preset, $0, sketch) }
        }
    }

    private func candidate(_ preset: Preset, _ prefix: String?, _ sketch: StoreSketch) -> Candidate? {
        let name = SuggestedNames(job, database: sketch.database, app: preset.name).store
        let policy = try? preset.policy(
            for: name, at: place.connection ?? place.path ?? "", prefix: prefix, systemTimeZone: .current)
        guard let policy, policy.stores.first?.gate != nil else { return nil }
        return Candidate(preset: preset, name: name, prefix: prefix, policy: policy)
    }

    /// Counts what a rule would delete with its own `keep` and with two others.
    private func judged(
        _ rule: RetentionRule, _ candidate: Candidate, _ sketch: StoreSketch, _ control: RunControl
    ) -> PresetProposalText.Rule {
        guard case .age(let column, let own) = rule.expiry,
            let table = sketch.tables.first(where: { $0.name.lowercased() == rule.table.lowercased() }),
            let sketched = table.columns.first(where: { $0.name.lowercased() == column.lowercased() })
        else { return PresetProposalText.Rule(rule: rule, counts: [], isEstimate: false) }
        let keeps = [own] + SuggestedKeeps.all.filter { $0.description != own.description }
        let rules = keeps.map { keep in
            var changed = rule
            changed.expiry = .age(column: column, keep: keep)
            return changed
        }
        let zone = candidate.policy.timeZone
        let counted = (try? count(rules, table, candidate, zone, control)) ?? []
        let isCounted = counted.count == rules.count
        let rows = rules.map { rule in
            table.estimate(before: rule.expiry.cutoff(at: now, in: zone), sketched, rule.time)
        }
        return PresetProposalText.Rule(
            rule: rule, counts: Array(zip(keeps, isCounted ? counted : rows).map { ($0, $1) }),
            isEstimate: !isCounted, obstacle: isCounted ? nil : table.obstacle)
    }

    private func count(
        _ rules: [RetentionRule], _ table: TableSketch, _ candidate: Candidate, _ zone: Zone,
        _ control: RunControl
    ) throws(StoreError) -> [Int64] {
        guard table.isCountable, var definition = candidate.policy.stores.first else {
            return []
        }
        // To count beside the app is no worse than to look at its rows.
        definition.skipWhileLocked = nil
        let view = try opening(definition, candidate.policy.rules).openView(control)
        defer { view.close() }
        return try rules.map { rule throws(StoreError) in
            try view.census(of: PruneTask(rule, start: now, in: zone)).expired
        }
    }
}
