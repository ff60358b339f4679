import Retention
import TerminalText

/// What a person needs to know of a table before a rule deletes its rows: its times, its flags and what refers to it.
struct ProposalFacts {
    /// Of each fact, what it is about, such as the name of a column.
    let all: [(name: String, text: String)]

    init(_ proposal: RuleProposal) {
        let columns = proposal.columns
        let certain = proposal.references.filter { !$0.isChance }
        all =
            columns.compactMap { column in column.words.map { (column.sketch.name, $0) } }
            + columns.map(\.sketch).compactMap { column in column.countsInWords.map { (column.name, $0) } }
            + Self.constants(columns.map(\.sketch))
            + proposal.table.references.map { Self.fact($0, proposal) }
            + certain.map { Self.fact($0, proposal) }
            + Self.chances(proposal.references.filter(\.isChance))
    }

    /// Flags that say the same of each row: nothing tells yet what another value would mean.
    private static func constants(_ columns: [ColumnSketch]) -> [(String, String)] {
        let same = columns.compactMap { column -> (name: String, value: SketchedValue)? in
            guard column.counts.count == 1, let value = column.counts[0].value else { return nil }
            return (column.name, value)
        }
        let unset = same.filter { $0.value.isEmpty }.map(\.name)
        let set = same.filter { !$0.value.isEmpty }.map { "\($0.name) \($0.value.inWords)" }
        return [("in each row", set), ("never set", unset)].filter { !$0.1.isEmpty }.map {
            ($0.0, $0.1.joined(separator: ", "))
        }
    }

    private static func fact(_ reference: ReferenceSketch, _ proposal: RuleProposal) -> (String, String) {
        guard reference.table != proposal.table.name else {
            return (reference.column, "refers to rows of this table, a foreign key")
        }
        let text =
            if !reference.refersToKey {
                "goes with rows here, by foreign keys"
            } else if proposal.parts.contains(reference) {
                "refers to nearly each row, a foreign key; goes with it"
            } else if reference.cascades {
                "refers to some rows, a foreign key that would delete it"
            } else {
                "refers to rows, a foreign key"
            }
        return ("\(reference.table).\(reference.column)", text)
    }

    private static func fact(_ reference: ValueReference, _ proposal: RuleProposal) -> (String, String) {
        guard reference.table != proposal.table.name else {
            return (reference.column, "has keys of this table: may refer to its rows")
        }
        let rows = reference.coversTarget ? "nearly each row" : "some rows"
        return (
            "\(reference.table).\(reference.column)",
            "has the key\(reference.isKey ? "" : "s") of \(rows), by its values"
        )
    }

    /// Small numbers and numbers of rows, once for all columns.
    private static func chances(_ references: [ValueReference]) -> [(String, String)] {
        guard !references.isEmpty else { return [] }
        let names = references.map { "\($0.table).\($0.column)" }.joined(separator: ", ")
        return [("perhaps", "\(names): small numbers that are keys here, too")]
    }
}

extension ColumnSketch {
    /// The counts of a flag, such as `1 in 2,990 rows, 0 in 10`; nil if it says the same of each row, or nothing.
    fileprivate var countsInWords: String? {
        guard counts.count > 1 else { return nil }
        let shown = counts.prefix(ColumnFlag.mostValues).enumerated().map { index, count in
            let rows = hasEstimates ? "about " + count.rows.rounded.grouped : count.rows.grouped
            return "\(count.value?.inWords ?? "others") in \(rows)" + (index == 0 ? " rows" : "")
        }
        return shown.joined(separator: ", ")
            + (counts.count > ColumnFlag.mostValues ? ", and more values" : "")
    }
}

extension SketchedValue {
    /// Whether it is NULL or an empty text; 0 may mean something.
    fileprivate var isEmpty: Bool { self == .null || self == .text("") }

    fileprivate var inWords: String {
        guard case .text(let text) = self, text.count > 20 else { return sql ?? "a blob" }
        return SketchedValue.text(text.prefix(20) + "…").sql ?? ""
    }
}
