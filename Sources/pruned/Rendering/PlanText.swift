import FoundationEssentials
import Pruning
import Retention
import TerminalText

/// A plan as text: what would happen to each rule, why, and how old its rows are.
struct PlanText: CustomStringConvertible {
    private let report: PruneReport
    private let rules: [RetentionRule]
    private let stores: [StoreDefinition]
    private let length: ScreenLength
    private let timeZone: Zone
    private let style: TextStyle

    /// Shows times in `timeZone`. `rules` are the rules of the report. Unless `length` is all, rules that a run would
    /// complete are left out.
    init(
        _ report: PruneReport, rules: [RetentionRule], on stores: [StoreDefinition] = [],
        length: ScreenLength,
        timeZone: Zone, style: TextStyle
    ) {
        self.stores = stores
        self.length = length
        self.report = report
        self.rules = rules
        self.timeZone = timeZone
        self.style = style
    }

    /// Of files much of which is free.
    private var vacuums: [String] {
        stores.flatMap { store -> [String] in
            let space = report.sizes.first { $0.store == store.name.description }.map(FreeSpace.init)
            guard let file = store.file, let vacuum = space?.vacuum else { return [] }
            return style.fitted(StatusText.advice(vacuum, on: file.lastName).onOneLine)
        }
    }

    var description: String {
        let shown = rules.compactMap { rule in report.rule(named: rule.name).map { (rule, $0) } }
            .filter { length.isWhole || $1.outcome != .done }
        let blocks =
            [
                headline.fitted(to: style.width) + report.outcomes.fitted(to: style.width)
                    + length.remark(style)
            ]
            + shown.grouped { rule, report in
                [
                    length == .each ? "\(rule.name)" : rule.name.general(of: rule.store),
                    report.outcome.rawValue,
                ]
            }.map { $0.count == 1 ? block($0[0].0, $0[0].1) : block(of: $0) }
            + (vacuums.isEmpty ? [] : [vacuums])
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private var headline: String {
        let going = ChangedRows(report.rules) { $0.outcome == .done ? $0.expired ?? 0 : 0 }
        let start = report.startedAt.local(in: timeZone)
        return "plan of \(start): a run would \(going.infinitive)"
    }

    private func block(_ rule: RetentionRule, _ report: RuleReport) -> [String] {
        let title = "\(rule.name): \(prediction(report))".fitted(to: style.width)
        return title + facts(rule, report).flatMap(lines)
            + (report.forecast.map { [""] + picture($0, report) } ?? [])
    }

    /// What happens alike to a rule in several stores of a family.
    private func block(of rules: [(rule: RetentionRule, report: RuleReport)]) -> [String] {
        let (rule, report) = rules[0]
        let expired = { (report: RuleReport) in report.expired ?? 0 }
        let name = rule.name.general(of: rule.store)
        let going = ChangedRows(rules.map(\.report), expired)
        let title = report.outcome == .done ? "would \(going.infinitive)" : report.outcome.prediction
        let ages = rules.compactMap(\.report.forecast?.ages)
        var facts = [("rule", rule.explanation), ("cutoff", report.cutoff.local(in: timeZone))]
        if !ages.isEmpty {
            let (gone, all) = (ages.map(\.census.expired).reduce(0, +), ages.map(\.rows).reduce(0, +))
            facts.append(("expired", "\(gone.grouped) of \(all.grouped) rows"))
        }
        if let failure = report.failure {
            facts.append(("why", "\(rule.store): \(failure.cause)"))
            if let hint = failure.hint {
                facts.append(("do", hint.replacing("\(rule.name)", with: "'\(name)'")))
            }
        }
        let most = rules.sorted { expired($0.report) > expired($1.report) }.prefix(Self.mostNamed)
            .map { "\($0.rule.store) \(expired($0.report).grouped)" }
        facts.append(
            (
                "stores",
                most.joined(separator: ", ") + (rules.count > most.count ? ", …; --all shows all" : "")
            ))
        return "\(name) (\(rules.count.counted("store"))): \(title)".fitted(to: style.width)
            + facts.flatMap(lines)
    }

    /// So many stores of a family are named.
    private static let mostNamed = 5

    private func prediction(_ report: RuleReport) -> String {
        guard report.outcome == .done, let expired = report.expired else { return report.outcome.prediction }
        guard expired > 0 else { return "would \(report.marks ? "mark" : "delete") nothing" }
        return "would " + ChangedRows([report]) { _ in expired }.infinitive
    }

    private func lines(_ name: String, _ text: String) -> [String] {
        let room = style.width - Self.indent
        return text.onOneLine.fitted(to: room).enumerated().map { index, line in
            "  " + (index == 0 ? name : "").padded(to: Self.indent - 2) + line
        }
    }

    private static let indent = 11

    private func picture(_ forecast: Forecast, _ report: RuleReport) -> [String] {
        HistogramText(
            histogram: forecast.histogram, implausible: forecast.ages.census.implausible,
            cutoff: report.cutoff, fate: report.marks ? "marked" : "deleted", timeZone: timeZone, style: style
        ).lines
    }

    private func facts(_ rule: RetentionRule, _ report: RuleReport) -> [(String, String)] {
        var facts = [("rule", rule.explanation), ("cutoff", report.cutoff.local(in: timeZone))]
        if let failure = report.failure {
            facts.append(("why", failure.cause))
            if let setting = failure.setting { facts.append(("at", setting.description)) }
            let steps = failure.hint?.split(separator: "\n").map(String.init) ?? []
            facts += steps.enumerated().map { index, step in (index == 0 ? "do" : "", step) }
        }
        guard let forecast = report.forecast else {
            if report.outcome == .done {
                facts.append(("expired", "nothing: the store does not exist yet; a run would create it"))
            }
            return facts
        }
        let ages = forecast.ages
        facts.append(("expired", "\(ages.census.expired.grouped) of \(ages.rows.grouped) rows" + share(ages)))
        if report.held == nil, let unasked = unasked(rule, ages) { facts.append(("asks", unasked)) }
        if ages.census.expired > 0, let remark = ages.refusing.doubt { facts.append(("unless", remark)) }
        if let dependents = dependents(rule, ages) { facts.append(("also", dependents)) }
        if let oldest = ages.oldestExpired, let newest = ages.newestExpired {
            facts.append(("oldest", oldest.local(in: timeZone)))
            facts.append(("newest", newest.local(in: timeZone)))
        }
        let leases = ages.stay.leasesEnd.map {
            "; the last of their leases ends at \($0.local(in: timeZone))"
        }
        facts += forecast.stays.enumerated().map { index, stay in
            let why = rule.why(stay) + (stay.reason == .leased ? leases ?? "" : "")
            return (index == 0 ? "kept" : "", "\(stay.rows.grouped) older rows stay: \(why)")
        }
        if ages.never > 0 {
            facts.append(
                ("never", "\(ages.never.grouped) rows have no \(rule.expiry.column ?? "") and never expire"))
        }
        if let next = forecast.nextExpiry {
            let wait = Duration.seconds(next.timeIntervalSince(self.report.startedAt))
            facts.append(("next", "row expires \(next.local(in: timeZone)), in \(wait.roughText)"))
        }
        return facts
    }

    /// Says of a large share of a small table that no guard asks for it.
    private func unasked(_ rule: RetentionRule, _ ages: AgeProfile) -> String? {
        let limits = rule.holdLimits
        guard limits.spares(ages.census.expired, of: ages.rows) else { return nil }
        return
            "nobody: the share of a table of fewer than \(limits.minRows.grouped) rows holds no rule (min_rows)"
    }

    private func dependents(_ rule: RetentionRule, _ ages: AgeProfile) -> String? {
        guard !rule.dependents.isEmpty, ages.census.expired > 0 else { return nil }
        let tables = rule.dependents.sorted().joined(separator: ", ")
        guard let rows = ages.dependents else { return "their dependents in \(tables)" }
        return "\(rows.counted("row")) of \(tables), deleted with them"
    }

    private func share(_ ages: AgeProfile) -> String {
        guard ages.rows > 0, ages.census.expired > 0 else { return "" }
        let percent = Double(ages.census.expired) / Double(ages.rows) * 100
        return percent < 1 ? " (under 1 %)" : " (\(Int(percent.rounded())) %)"
    }
}

extension Outcome {
    /// The outcome in a dry run, which has done nothing yet.
    var prediction: String {
        switch self {
        case .done: "would run"
        case .held: "would be held"
        case .stopped: "would be stopped"
        case .skipped: "would be skipped"
        case .failed: "would fail"
        }
    }
}

extension RetentionRule {
    /// Why rows stay that are old enough.
    fileprivate func why(_ stay: Forecast.Staying) -> String {
        switch stay.reason {
        case .leased: dependents.isEmpty ? "they were put back" : "they or their dependents were put back"
        case .condition: "not \(stay.text.onOneLine)"
        case .protection: "protected: \(stay.text.onOneLine)"
        case .owned: "\(stay.text.onOneLine) is there, or they refer to none"
        case .newest: "they are among the newest \((keepLast ?? 0).grouped)" + perGroup
        case .keyless: "they have no key, so nothing can refer to them"
        case .referredTo(let columns): "rows that stay refer to them by \(columns)"
        case .keptBy: keepers + " them"
        }
    }

    private var perGroup: String {
        keepLastPer.isEmpty ? "" : " of their \(keepLastPer.joined(separator: ", "))"
    }

    private var keepers: String {
        keptBy.map(\.description).joined(separator: " or ") + (keptBy.count == 1 ? " refers to" : " refer to")
    }
}
