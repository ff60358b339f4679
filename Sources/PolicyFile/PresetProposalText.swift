import FoundationEssentials
import Retention
import TerminalText

/// A store with a preset, as a configuration file for a person to read, to change and to keep.
package struct PresetProposalText {
    /// A rule of the preset, and about how many rows it would delete or mark with each `keep`, its own first.
    package struct Rule {
        package let rule: RetentionRule
        package let counts: [(keep: Span, rows: Int64)]
        /// Whether the counts are estimated.
        package let isEstimate: Bool
        /// Why the rows could not be looked at; nil if they were.
        package let obstacle: String?

        package init(
            rule: RetentionRule, counts: [(keep: Span, rows: Int64)], isEstimate: Bool,
            obstacle: String? = nil
        ) {
            self.rule = rule
            self.counts = counts
            self.isEstimate = isEstimate
            self.obstacle = obstacle
        }
    }

    private let preset: Preset
    private let versions: String
    private let store: Name
    private let kind: StoreDefinition.Kind
    private let prefix: String?
    private let rules: [Rule]
    private let now: Date

    /// The file for a store that has the schema of these versions of the preset's app. `prefix` is that of
    /// the store's tables, if it is not the preset's.
    package init(
        _ preset: Preset, versions: String, store: Name, kind: StoreDefinition.Kind, prefix: String? = nil,
        rules: [Rule], now: Date
    ) {
        self.preset = preset
        self.versions = versions
        self.store = store
        self.kind = kind
        self.prefix = prefix
        self.rules = rules
        self.now = now
    }

    /// The text of the file.
    package var text: String {
        ([introduction, storeSection] + rules.map(section)).map { $0 + "\n" }.joined(separator: "\n")
    }

    private var introduction: String {
        """
        # Proposed on \(now.day): a store of \(preset.app.printable(limit: 80)) (\(versions.printable(limit: 80))).
        # Look at each rule, and choose its keep. What would happen now:
        #     pruned check && pruned plan
        """
    }

    private var storeSection: String {
        let notes = (preset.notes ?? "").split(separator: "\n").map {
            "# " + String($0).printable(limit: 200)
        }
        return
            (notes + [
                "[store.\(store.description.key)]", kind.setting(width: 6),
                "preset = \(preset.name.description.quoted)  # `pruned presets \(preset.name)` shows its rules",
            ] + (prefix.map { ["prefix = \($0.quoted)"] } ?? []) + [kind.remark].compactMap(\.self))
            .joined(separator: "\n")
    }

    private func section(_ proposed: Rule) -> String {
        let header = "[rule.\(proposed.rule.name.description.key)]"
        guard !proposed.counts.isEmpty else {
            return "# \(header.dropFirst().dropLast()): \(proposed.rule.table), as the preset has it"
        }
        let verb = proposed.rule.action.infinitive
        let lines = proposed.counts.enumerated().map { index, count in
            let rows = proposed.isEstimate ? "about " + count.rows.rounded.grouped : count.rows.grouped
            let setting = "keep = \(count.keep.description.quoted)"
            let said =
                proposed.obstacle.map { "how many rows a run would \(verb) is unknown: \($0)" }
                ?? "a run would \(verb) \(rows) row\(count.rows == 1 ? "" : "s") of \(proposed.rule.table) now"
            return (index == 0 ? setting.padded(to: 16) : ("# " + setting).padded(to: 16)) + "  # "
                + (index == 0 ? "the preset's; " : "") + said.printable(limit: 200)
        }
        return ([header] + lines).joined(separator: "\n")
    }
}
