import FoundationEssentials
import Retention
import TerminalText

/// What there is to decide on a store, as a configuration file with nothing in force: each line is a comment.
package struct ProposalText {
    /// A rule, its name, and how many rows it would delete with each `keep`, the longest first.
    package struct Rule {
        package let name: Name
        package let proposal: RuleProposal
        package let counts: [(keep: Span, rows: Int64)]
        /// Whether the counts are estimated.
        package let isEstimate: Bool
        /// Why the rule would be refused as it is; nil if it would not.
        package let misfit: String?
        /// Why it would be refused beside another proposed rule; nil if it would not.
        var conflict: String?

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

        /// The same, refused for this reason.
        func refused(because misfit: String) -> Rule {
            Rule(name: name, proposal: proposal, counts: counts, isEstimate: isEstimate, misfit: misfit)
        }
    }

    /// The tables without a rule.
    package struct Others {
        package let reasons: [(table: String, reason: String)]
        /// Those that are too small.
        package let small: [String]
        /// What these have fewer of.
        package let fewRows: Int64

        package init(
            reasons: [(table: String, reason: String)] = [], small: [String] = [], fewRows: Int64 = 0
        ) {
            (self.reasons, self.small, self.fewRows) = (reasons, small, fewRows)
        }
    }

    private let store: Name
    private let kind: StoreDefinition.Kind
    private let lacksLog: Bool
    private let remarks: [String]
    private let rules: [Rule]
    private let others: Others
    private let now: Date

    /// The file for this store. `remarks` are sentences on the whole of it.
    package init(
        store: Name, kind: StoreDefinition.Kind, lacksLog: Bool, remarks: [String] = [], rules: [Rule],
        others: Others = Others(), now: Date
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
        let store = storeNotes + storeSection.map { "# " + $0 }
        let sections = [introduction, store] + rules.map(section) + [leftAlone].filter { !$0.isEmpty }
        return sections.map { ($0 + [""]).joined(separator: "\n") }.joined(separator: "\n")
    }

    /// The file with its rules in force.
    var textInForce: String {
        ([storeSection] + rules.map(lines)).joined().joined(separator: "\n") + "\n"
    }

    private var introduction: [String] {
        let how =
            rules.contains { $0.misfit == nil }
            ? """
            Nothing is in force. For each table that is to have a rule, decide which rows matter, take the first # from \
            the lines of the store and of the rule, complete them, and see what would happen: \
            `pruned check && pruned plan`
            """ : "No table could have a rule as it is."
        return
            (["Proposed on \(now.day): no preset fits this database. Here is what its tables have.", how]
            + remarks)
            .flatMap { Self.comment($0, limit: 400) }
    }

    private var storeNotes: [String] {
        let quiet =
            "Its app has no write-ahead log. If the app does not wait for locks either, add: quiet = true"
        return (lacksLog ? Self.comment(quiet, limit: 400) : [])
            + (kind.remark.map { $0.split(separator: "\n").map(String.init) } ?? [])
    }

    private var storeSection: [String] { ["[store.\(store.description.key)]", kind.setting] }

    private var leftAlone: [String] {
        let small =
            others.small.isEmpty
            ? []
            : [
                "fewer than \(others.fewRows.grouped) rows: "
                    + others.small.map { $0.printable(limit: 60) }.joined(separator: ", ")
            ]
        let lines =
            others.reasons.map { "\($0.table.printable(limit: 60)): \($0.reason.printable(limit: 300))" }
            + small
        return lines.isEmpty
            ? [] : ["# Other tables:"] + lines.flatMap { Self.comment($0, indent: 2, limit: 4_000) }
    }

    // MARK: - Rules

    private func section(_ rule: Rule) -> [String] {
        let table = rule.proposal.table
        let growth = rule.proposal.growth(at: now).map { ", about \($0.rounded.grouped) a day" } ?? ""
        let bytes = table.bytes.map { ", about \($0.bytes)" } ?? ""
        let rest =
            rule.misfit.map { Self.comment("No rule, for it would be refused: \($0)", limit: 600) }
            ?? (rule.conflict.map { Self.comment($0, limit: 400) } ?? [])
            + lines(of: rule).map { "# " + $0 }
        return Self.comment("Table \(table.name): \(table.rowsInWords) rows\(growth)\(bytes)", limit: 200)
            + facts(rule.proposal) + rest
    }

    /// A line for each fact, the names in a column of their own.
    private func facts(_ proposal: RuleProposal) -> [String] {
        let facts = ProposalFacts(proposal).all
        let shown = facts.prefix(Self.mostFacts).map {
            (name: $0.name.printable(limit: 40), text: $0.text.printable(limit: 300))
        }
        let width = min(shown.map(\.name.columns).max() ?? 0, Self.widestName)
        let more = facts.count - shown.count
        return shown.flatMap { name, text in
            let lines = text.wrapped(to: Self.width - 6 - width)
            let isLong = name.columns > width
            return (isLong ? ["#   " + name] : [])
                + lines.enumerated().map { index, line in
                    "#   " + (index == 0 && !isLong ? name : "").padded(to: width + 2) + line
                }
        } + (more > 0 ? ["#   and \(more) more"] : [])
    }

    /// The table of the rule.
    private func lines(of rule: Rule) -> [String] {
        let proposal = rule.proposal
        let time = proposal.time
        let deleted = rule.counts.map { count in
            let rows = rule.isEstimate ? "about " + count.rows.rounded.grouped : count.rows.grouped
            let limits = HoldLimits.standard.inherited(
                by: proposal.rule(named: rule.name, on: store, keep: count.keep).expiry)
            let isHeld = limits.areExceeded(by: count.rows, of: proposal.table.rows)
            let old = proposal.estimate(keep: count.keep, at: now, in: .gmt) - count.rows
            let stay =
                count.rows == 0 && old > 0 && !rule.isEstimate
                ? ", about \(old.rounded.grouped) older ones stay" : ""
            return "\(rows) row\(count.rows == 1 ? "" : "s") would go"
                + (isHeld ? ", once you confirm it" : "") + stay
        }
        var settings: [(key: String, value: String, reason: String?)] = [
            ("store", store.description.quoted, nil),
            ("table", proposal.table.name.quoted, nil),
            (
                time.isAhead ? "expires_column" : "age_column", time.column.name.quoted,
                time.isAhead ? deleted.first : nil
            ),
        ]
        if time.column.type == .local {
            settings.append(("column_zone", "UTC".quoted, "the zone in which the app writes it"))
        } else if !time.column.type.isTime {
            settings.append(("unit", time.format.unit.rawValue.quoted, nil))
        }
        if let epoch = time.format.saidEpoch { settings.append(("epoch", epoch.rawValue.quoted, nil)) }
        if !time.isAhead {
            settings += zip(rule.counts, deleted).enumerated().map { index, said in
                ((index == 0 ? "" : "# ") + "keep", said.0.keep.description.quoted, said.1)
            }
        }
        settings += [
            ("protect", proposal.protect), ("dependents", proposal.dependents),
            ("kept_by", proposal.keptBy.map(\.description)),
        ].compactMap { key, values in
            values.isEmpty ? nil : (key, Self.list(values), nil)
        }
        if proposal.isArchived {
            settings.append(("archive", "true", "deleted rows can be put back for 30 days"))
        }
        let keys = settings.map(\.key.columns).max() ?? 0
        let values =
            settings.filter { $0.reason != nil }.map(\.value.columns).filter { $0 <= Self.widestValue }
            .max() ?? 0
        return ["[rule.\(rule.name.description.key)]"]
            + settings.flatMap { key, value, reason -> [String] in
                let setting = "\(key.padded(to: keys)) = \(value)"
                let line = reason.map { setting.padded(to: keys + 3 + values) + "  # " + $0 } ?? setting
                return line.split(separator: "\n").map(String.init)
            }
    }

    /// The texts as TOML, each on a line of its own if they are too long for one.
    private static func list(_ values: [String]) -> String {
        let line = "[" + values.map(\.quoted).joined(separator: ", ") + "]"
        guard line.columns > width - 16 else { return line }
        return "[\n" + values.map { "    \($0.quoted),\n" }.joined() + "]"
    }

    private static let width = 80
    private static let widestName = 24
    private static let widestValue = 30
    private static let mostFacts = 40

    /// A text from the store as lines of a comment.
    private static func comment(_ text: String, indent: Int = 0, limit: Int) -> [String] {
        text.printable(limit: limit).wrapped(to: width - 2 - indent).enumerated().map { index, line in
            "# " + String(repeating: " ", count: index == 0 ? indent : indent * 2) + line
        }
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
