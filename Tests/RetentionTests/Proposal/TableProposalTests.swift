import Foundation
import Retention
import Testing

/// What is proposed for a table of which this was seen.
struct TableProposalTests {
    private static let now = Date(timeIntervalSince1970: 1_795_426_200)

    private static func column(
        _ name: String, isKey: Bool = false, _ value: (Int) -> SketchedValue
    ) -> ColumnSketch {
        ColumnSketch(name: name, isKey: isKey, values: (0..<100).map(value))
    }

    private static let date = column("date") { .integer(1_795_426_000 - Int64($0) * 86_400) }

    private func proposal(
        _ columns: [ColumnSketch], rows: Int64 = 5_000, references: [ReferenceSketch] = [],
        beside others: [TableSketch] = []
    ) -> RuleProposal? {
        let table = TableSketch(name: "items", rows: rows, columns: columns, references: references)
        let store = StoreSketch(tables: [table] + others, lacksLog: false)
        guard case .rule(let proposal) = TableProposal(for: table, in: store, at: Self.now) else {
            return nil
        }
        return proposal
    }

    @Test("of several times the latest decides, by which a row stays the longest")
    func latest() {
        let published = Self.column("published") { .integer(1_795_300_000 - Int64($0) * 86_400) }
        let seen = Self.column("lastSeen") { .integer(1_795_426_100 - Int64($0) * 80_000) }
        for columns in [[Self.date, published, seen], [seen, published, Self.date]] {
            let proposal = proposal(columns)
            #expect(proposal?.time.column.name == "lastSeen")
            #expect(proposal?.remarks.sorted() == ["date has seconds, too", "published has seconds, too"])
        }
        let expires = Self.column("expires") { .integer(1_790_000_000 + Int64($0) * 86_400) }
        #expect(proposal([Self.date, expires])?.time.isDeadline == true)
    }

    @Test(
        "a flag of a known name becomes a condition or protects",
        arguments: [
            ("read", "read = 1", nil), ("is_read", "is_read = 1", nil), ("isRead", "isRead = 1", nil),
            ("ZISREAD", "ZISREAD = 1", nil), ("unread", "unread = 0", nil), ("not_read", "not_read = 0", nil),
            ("starred", nil, "starred <> 0"), ("is_favorite", nil, "is_favorite <> 0"),
            ("isstarred", nil, "isstarred <> 0"), ("pinned", nil, "pinned <> 0"), ("keep", nil, "keep <> 0"),
            ("deleted", nil, nil), ("count", nil, nil), ("enabled", nil, nil),
        ] as [(String, String?, String?)])
    func flags(name: String, condition: String?, protection: String?) {
        let proposal = proposal([Self.date, Self.column(name) { .integer(Int64($0 % 2)) }])
        #expect(proposal?.condition == condition)
        #expect(proposal?.protect.map(\.value) == [protection].compactMap(\.self))
        #expect(proposal?.conditions.allSatisfy { !$0.reason.contains("unproven") } == true)
    }

    @Test("a flag with one value is used and called unproven")
    func unproven() {
        let read = Self.column("read") { _ in .integer(1) }
        let starred = Self.column("starred") { _ in .integer(0) }
        let proposal = proposal([Self.date, read, starred])
        #expect(proposal?.condition == "read = 1")
        #expect(proposal?.conditions.first?.reason.contains("unproven") == true)
        #expect(proposal?.protect.first?.reason.contains("unproven") == true)
    }

    @Test("several flags are all demanded, and a name that SQL reserves is quoted")
    func severalFlags() {
        let columns = ["unread", "pending"].map { name in Self.column(name) { .integer(Int64($0 % 2)) } }
        #expect(proposal([Self.date] + columns)?.condition == "unread = 0 AND pending = 0")
        let odd = Self.column("is read") { .integer(Int64($0 % 2)) }
        #expect(proposal([Self.date, odd])?.condition == "\"is read\" = 1")
    }

    @Test("texts that a person writes protect, and so does no other text")
    func annotations() {
        let flags = Self.column("flags") { $0 == 3 ? .text("s") : .null }
        #expect(proposal([Self.date, flags])?.protect.map(\.value) == ["coalesce(flags, '') <> ''"])
        let title = Self.column("title") { .text("\($0)") }
        #expect(proposal([Self.date, title])?.protect.isEmpty == true)
    }

    @Test("a status is a question to the person")
    func status() {
        let status = Self.column("status") { .integer(Int64($0 % 3)) }
        let asked = proposal([Self.date, status])
        #expect(asked?.condition == nil)
        #expect(asked?.doubts.contains { $0.contains("0, 1, 2") } == true)
        let answers = Self.column("status") { .integer($0 % 7 == 0 ? 404 : 200) }
        #expect(proposal([Self.date, answers])?.doubts == [])
    }

    @Test(
        "a small table, and one without times, is left alone with the reason",
        arguments: [
            (999, [date], "999 rows"), (1_000, [], "no column with times"),
            (5_000, [column("price") { .integer(1_795_426_000 - Int64($0)) }], "not by its name"),
            (5_000, [column("id", isKey: true) { .integer(1_795_426_000 - Int64($0)) }], "id is the key"),
            (5_000, [column("date") { .integer(1_595_426_000 - Int64($0)) }], "no later one than 2020-07-22"),
            (5_000, [column("date") { _ in .integer(1_795_426_000) }], "too few different values"),
            (
                5_000, [column("starred_at") { .integer(1_795_426_000 - Int64($0)) }],
                "is when a person marked a row"
            ),
        ] as [(Int64, [ColumnSketch], String)])
    func none(rows: Int64, columns: [ColumnSketch], expected: String) {
        let table = TableSketch(name: "t", rows: rows, columns: columns)
        guard case .none("t", let reason) = TableProposal(for: table, at: Self.now) else {
            Issue.record("a rule")
            return
        }
        #expect(reason.contains(expected), "\(reason)")
    }

    @Test("the rule is what the proposal says, and the estimate counts the rows that stand for the table")
    func rule() {
        let read = Self.column("read") { .integer(Int64($0 % 2)) }
        let table = TableSketch(
            name: "items", rows: 5_000, columns: [Self.date, read],
            spread: Set(stride(from: 0, to: 100, by: 2)))
        guard case .rule(let proposal) = TableProposal(for: table, at: Self.now) else {
            Issue.record("no rule")
            return
        }
        let rule = proposal.rule(named: "r", on: "s", keep: Span(90, .day))
        #expect(rule.expiry == .age(column: "date", keep: Span(90, .day)))
        #expect(rule.condition == "read = 1" && rule.archiveKeep != nil)
        #expect(proposal.estimate(keep: Span(90, .day), at: Self.now, in: .gmt) == 500)
        #expect(proposal.estimate(keep: Span(1, .year), at: Self.now, in: .gmt) == 0)
    }
}
