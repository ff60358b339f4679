import Foundation
import PolicyFile
import Retention
import Testing

/// Proposed rules that do not fit each other.
struct ProposalFitTests {
    private static let now = Date(timeIntervalSince1970: 1_795_426_200)

    private func rule(_ table: String, keptBy other: String) throws -> ProposalText.Rule {
        try rule(
            TableSketch(
                name: table, rows: 5_000, columns: [ColumnSketch(name: "date", values: Self.dates)],
                references: [ReferenceSketch(table: other, column: "r", cascades: false)]))
    }

    private func rule(_ table: TableSketch) throws -> ProposalText.Rule {
        guard case .rule(let proposal) = TableProposal(for: table, at: Self.now) else { throw NoRule() }
        let counts = [Span(1, .year), Span(90, .day)].map { (keep: $0, rows: Int64(0)) }
        return ProposalText.Rule(
            name: Name(table.name) ?? "r", proposal: proposal, counts: counts, isEstimate: false, misfit: nil)
    }

    private struct NoRule: Error {}

    private static let dates = (0..<100).map { SketchedValue.integer(1_795_426_000 - $0 * 86_400) }

    private func text(_ rules: [ProposalText.Rule]) -> String {
        let kind = StoreDefinition.Kind.sqlite(path: "/s.db")
        return ProposalText(
            store: "s", kind: kind, lacksLog: false,
            rules: ProposalText.fitting(rules, store: "s", kind: kind, systemTimeZone: .gmt), now: Self.now
        ).text
    }

    @Test("of two rules that would each have to run first, the second says so, and each is valid alone")
    func circle() throws {
        let text = text(try [rule("images", keptBy: "bodies"), rule("bodies", keptBy: "images")])
        let words = text.split { $0 == "\n" || $0 == " " || $0 == "#" }.joined(separator: " ")
        #expect(words.contains("Not together with the rules above: "), "\(text)")
        #expect(text.contains("\n# [rule.images]\n") && text.contains("\n# [rule.bodies]\n"), "\(text)")
    }

    @Test("a keeper with a dot in the name of its table is one like others")
    func dots() throws {
        let text = text(try [rule("a", keptBy: "c.image")])
        #expect(text.contains("\n# kept_by    = [\"c.image.r\"]\n"), "\(text)")
    }

    @Test("names from a database put nothing in force, and send nothing to a terminal")
    func hostile() throws {
        let name = "x\n[rule.evil]\r\n]# \u{1B}[2J\u{9B}1m\u{202E}\u{2028}\"'"
        let flags = (0..<100).map { SketchedValue.text("\(name)\($0 % 2)") }
        let sketch = TableSketch(
            name: name, rows: 5_000,
            columns: [
                ColumnSketch(name: name, values: Self.dates), ColumnSketch(name: name + "b", values: flags),
            ],
            references: [ReferenceSketch(table: name + "t", column: name, cascades: true)]
        ).counting { _ in [ValueCount(flags[0], rows: 2_500), ValueCount(flags[1], rows: 2_500)] }
        let text = text([try rule(sketch)])
        #expect(text.split(separator: "\n").allSatisfy { $0.hasPrefix("#") }, "\(text)")
        let obeyed = text.unicodeScalars.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control: scalar != "\n"
            case .lineSeparator, .paragraphSeparator: true
            default: scalar.properties.isBidiControl
            }
        }
        #expect(obeyed.isEmpty, "\(text)")
    }

    @Test("a line is no longer than 80 columns, but for a name or a condition that is")
    func width() throws {
        let flags = (0..<12).map { index in
            ColumnSketch(name: "a_rather_long_column_\(index)", values: [.text("x"), .text("y")])
        }
        let sketch = TableSketch(
            name: "items", rows: 5_000, columns: [ColumnSketch(name: "date", values: Self.dates)] + flags,
            references: (0..<4).map {
                ReferenceSketch(table: "a_long_table_\($0)", column: "item", cascades: false)
            }
        ).counting { _ in [ValueCount(.text(String(repeating: "y", count: 60)), rows: 5_000)] }
        let long = text([try rule(sketch)]).split(separator: "\n").filter { $0.count > 80 }
        #expect(long.isEmpty, "\(long)")
    }
}
