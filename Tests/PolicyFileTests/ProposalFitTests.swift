import Foundation
import PolicyFile
import Retention
import Testing

/// Proposed rules that do not fit each other.
struct ProposalFitTests {
    private static let now = Date(timeIntervalSince1970: 1_795_426_200)

    private func rule(_ table: String, keptBy other: String) throws -> ProposalText.Rule {
        let dates = (0..<100).map { SketchedValue.integer(1_795_426_000 - $0 * 86_400) }
        let sketch = { (name: String, references: [ReferenceSketch]) in
            TableSketch(
                name: name, rows: 5_000, columns: [ColumnSketch(name: "date", values: dates)],
                references: references)
        }
        let table = sketch(table, [ReferenceSketch(table: other, column: "r", cascades: false)])
        let store = StoreSketch(tables: [table, sketch(other, [])], lacksLog: false)
        guard case .rule(let proposal) = TableProposal(for: table, in: store, at: Self.now) else {
            throw NoRule()
        }
        let counts = [Span(1, .year), Span(90, .day)].map { (keep: $0, rows: Int64(0)) }
        return ProposalText.Rule(
            name: Name(table.name) ?? "r", proposal: proposal, counts: counts, isEstimate: false, misfit: nil)
    }

    private struct NoRule: Error {}

    @Test("of two rules that would each have to run first, the second is a comment, and the file is valid")
    func circle() throws {
        let rules = try [rule("images", keptBy: "bodies"), rule("bodies", keptBy: "images")]
        #expect(rules.map(\.isLive) == [true, true])
        let fitting = ProposalText.fitting(
            rules, store: "s", kind: .sqlite(path: "/s.db"), systemTimeZone: .gmt)
        #expect(fitting.map(\.isLive) == [true, false])
        #expect(fitting[1].misfit?.contains("refer to each other by kept_by") == true)
        let text = ProposalText(
            store: "s", kind: .sqlite(path: "/s.db"), lacksLog: false, rules: fitting, others: [],
            now: Self.now
        ).text
        let configuration = try Configuration(text, file: "f", systemTimeZone: .gmt)
        #expect(configuration.policy.rules.map(\.name) == ["images"])
        // Without one # it would be a rule again.
        #expect(text.contains("\n# [rule.bodies]\n") && text.contains("\n# # keep "))
    }

    @Test("a name that no rule can give is a comment")
    func dots() throws {
        let rules = try [rule("a", keptBy: "c.image")]
        let fitting = ProposalText.fitting(
            rules, store: "s", kind: .sqlite(path: "/s.db"), systemTimeZone: .gmt)
        #expect(fitting[0].misfit?.contains("is not a column of a table") == true)
    }
}
