import FoundationEssentials
import Retention
import TerminalText

/// Proposed rules as a configuration file for a person to read, to change and to keep, such as a file of conf.d.
package struct ProposalText {
    /// A rule, its name, and how many rows it would delete with each `keep`, the longest first.
    package struct Rule {
        package let name: Name
        package let proposal: RuleProposal
        package let counts: [(keep: Span, rows: Int64)]
        /// Whether the counts are estimated.
        package let isEstimate: Bool
        /// Why the rule does not fit the store; nil if it does.
        package let misfit: String?

        package init(
            name: Name, proposal: RuleProposal, counts: [(keep: Span, rows: Int64)], isEstimate: Bool,
            misfit: String?
        ) {
            self.name = name
            self.proposal = proposal
            self.counts = counts
            self.isEstimate = isEstimate
            self.misfit = misfit
        }

        /// Whether the rule is in force, and no comment.
        package var isLive: Bool { misfit == nil && proposal.doubts.isEmpty }

        /// The rule as a comment, for this reason.
        package func refused(because misfit: String) -> Rule {
            Rule(name: name, proposal: proposal, counts: counts, isEstimate: isEstimate, misfit: misfit)
        }
    }

    private let store: Name
    private let kind: StoreDefinition.Kind
    private let lacksLog: Bool
    private let remarks: [String]
    private let rules: [Rule]
    private let others: [(table: String, reason: String)]
    private let now: Date

    /// The file for this store. `remarks` are sentences on the whole of it, and `others` the tables without a rule.
    package init(
        store: Name, kind: StoreDefinition.Kind, lacksLog: Bool, remarks: [String] = [], rules: [Rule],
        others: [(table: String, reason: String)], now: Date
    ) {
        self.store = store
        self.kind = kind
        self.lacksLog = lacksLog
        self.remarks = remarks
        self.rules = rules
        self.others = others
        self.now = now
    }

    /// The text of the file.
    package var text: String {
        let remarks = remarks.flatMap { $0.printable(limit: 300).wrapped(to: 78) }.map { "\n# " + $0 }
            .joined()
        var sections = [introduction + remarks, storeSection] + rules.map(section)
        if !others.isEmpty { sections.append(leftAlone) }
        return sections.map { $0 + "\n" }.joined(separator: "\n")
    }

    private var introduction: String {
        let proposed =
            "# Proposed on \(now.day) by what the tables have; no app that pruned knows has such a store."
        guard rules.contains(where: \.isLive) else {
            return proposed + """

                # No rule is in force: each is a comment, with what a person has to decide first. Until then
                # `pruned check` says that the file has no rules.
                """
        }
        return proposed + """

            # Look at each rule, and choose its keep. What would happen now:
            #     pruned check && pruned plan
            """
    }

    private var storeSection: String {
        let quiet = """

            # Its app has no write-ahead log. If the app does not wait for locks either:
            # quiet = true
            """
        return """
            [store.\(store.description.key)]
            \(kind.setting)\(kind.remark.map { "\n" + $0 } ?? "")\(lacksLog ? quiet : "")
            """
    }

    private var leftAlone: String {
        "# Left alone:\n"
            + others.map { Self.comment("\($0.table): \($0.reason)", indent: 2) }.joined(separator: "\n")
    }

    // MARK: - Rules

    private func section(_ rule: Rule) -> String {
        let proposal = rule.proposal
        let table = proposal.table
        let about = Self.comment(
            "\(table.name): \(table.rowsInWords) rows,"
                + " from \(proposal.time.oldest.day) to \(proposal.time.newest.day)")
        let misfit = rule.misfit.map { [Self.comment("As it is, this rule would be refused: \($0)")] } ?? []
        let doubts = proposal.doubts.map { Self.comment("Not in force, a person has to decide: \($0)") }
        let body = lines(of: rule).map { rule.isLive ? $0 : "# " + $0 }
        let remarks = proposal.remarks.map { Self.comment($0) }
        return ([about] + misfit + doubts + body + remarks).joined(separator: "\n")
    }

    /// The table of the rule: each setting with its reason in a comment beside it.
    private func lines(of rule: Rule) -> [String] {
        let proposal = rule.proposal
        let time = proposal.time
        let deleted = rule.counts.map { count in
            let rows = rule.isEstimate ? "about " + count.rows.rounded.grouped : count.rows.grouped
            return "a run would delete \(rows) row\(count.rows == 1 ? "" : "s") now"
        }
        var settings: [(key: String, value: String, reason: String?)] = [
            ("store", store.description.quoted, nil),
            ("table", proposal.table.name.quoted, nil),
            (
                time.isDeadline ? "expires_column" : "age_column", time.column.name.quoted,
                (time.column.type.isTime
                    ? "times, by its type" : "\(time.format.words), by its name and its values")
                    + (time.isDeadline ? "; " + (deleted.first ?? "") : "")
            ),
        ]
        if time.column.type == .local {
            settings.append(
                (
                    "column_zone", "UTC".quoted,
                    "the zone in which the app writes it, which only its manual tells"
                ))
        } else if !time.column.type.isTime {
            settings.append(("unit", time.format.unit.rawValue.quoted, nil))
        }
        if time.format.epoch != .unix { settings.append(("epoch", time.format.epoch.rawValue.quoted, nil)) }
        if !time.isDeadline {
            settings += zip(rule.counts, deleted).enumerated().map { index, said in
                ((index == 0 ? "" : "# ") + "keep", said.0.keep.description.quoted, said.1)
            }
        }
        if let condition = proposal.condition {
            settings.append(("where", condition.quoted, Self.reasons(proposal.conditions)))
        }
        settings += [
            ("protect", proposal.protect), ("dependents", proposal.dependents), ("kept_by", proposal.keptBy),
        ].compactMap { key, values in
            guard !values.isEmpty else { return nil }
            return (key, "[" + values.map(\.value.quoted).joined(separator: ", ") + "]", Self.reasons(values))
        }
        if proposal.isArchived {
            settings.append(("archive", "true", "deleted rows can be put back for 30 days"))
        }
        let keys = settings.map(\.key.columns).max() ?? 0
        let values = settings.map(\.value.columns).filter { $0 <= Self.widestValue }.max() ?? 0
        return ["[rule.\(rule.name.description.key)]"]
            + settings.map { key, value, reason in
                let setting = "\(key.padded(to: keys)) = \(value)"
                return reason.map { setting.padded(to: keys + 3 + values) + "  # " + $0 } ?? setting
            }
    }

    private static let widestValue = 40

    private static func reasons(_ all: [RuleProposal.Reasoned]) -> String {
        var seen: Set<String> = []
        return all.map(\.reason).filter { seen.insert($0).inserted }.joined(separator: "; ")
    }

    /// A text from the store as one line of a comment.
    private static func comment(_ text: String, indent: Int = 0) -> String {
        "# " + String(repeating: " ", count: indent) + text.printable(limit: 300)
    }
}

extension TableSketch {
    fileprivate var rowsInWords: String {
        switch precision {
        case .exact: rows.grouped
        case .about: "about " + rows.rounded.grouped
        case .atLeast: "at least " + rows.grouped
        }
    }
}

extension Int64 {
    /// An estimate to three digits.
    var rounded: Int64 {
        var (unit, rest) = (Int64(1), magnitude)
        while rest >= 1_000 { (unit, rest) = (unit * 10, rest / 10) }
        return (self + unit / 2) / unit * unit
    }
}
