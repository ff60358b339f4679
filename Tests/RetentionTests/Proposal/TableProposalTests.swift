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
        _ columns: [ColumnSketch], references: [ReferenceSketch] = [], values: [ValueReference] = [],
        covering: Set<String> = [], beside others: [TableSketch] = []
    ) -> RuleProposal? {
        let table = TableSketch(name: "items", rows: 5_000, columns: columns, references: references)
        let proposal = TableProposal(
            for: table, in: [table] + others, references: values, covering: covering, at: Self.now)
        if case .rule(let proposal) = proposal { return proposal }
        return nil
    }

    @Test("of several times the latest decides, by which a row stays the longest")
    func latest() {
        let published = Self.column("published") { .integer(1_795_300_000 - Int64($0) * 86_400) }
        let seen = Self.column("x") { .integer(1_795_426_100 - Int64($0) * 80_000) }
        let ahead = Self.column("ends") { .integer(1_795_426_100 + Int64($0) * 86_400) }
        for columns in [[Self.date, published, seen], [seen, ahead, published, Self.date]] {
            #expect(proposal(columns)?.time.column.name == "x")
        }
        // Rows without a time would stay for ever.
        let read = Self.column("read_at") {
            $0 % 3 == 0 ? .integer(1_795_426_100 - Int64($0) * 80_000) : .null
        }
        #expect(proposal([read, Self.date])?.time.column.name == "date")
        #expect(proposal([ahead])?.time.isAhead == true)
    }

    @Test("a flag decides nothing: it is for a person to say which rows matter")
    func flags() {
        let columns = ["read", "starred", "status"].map { name in
            Self.column(name) { .integer(Int64($0 % 2)) }
        }
        let proposal = proposal([Self.date] + columns)
        let rule = proposal?.rule(named: "r", on: "s", keep: Span(90, .day))
        #expect(rule?.condition == nil && rule?.protect == [])
    }

    @Test("what nearly each row has goes with it; what refers to some keeps these, by keys and by values")
    func references() {
        let id = Self.column("id", isKey: true) { .integer(Int64($0)) }
        let proposal = proposal(
            [id, Self.date],
            references: [
                ReferenceSketch(table: "enclosure", column: "item", cascades: true),
                ReferenceSketch(table: "label", column: "item", cascades: true),
                ReferenceSketch(table: "bookmark", column: "item", cascades: false),
            ],
            values: [
                ValueReference(table: "stars", column: "x", target: "items"),
                ValueReference(table: "states", column: "Item", target: "items", isKey: true),
                ValueReference(table: "sizes", column: "size", target: "items", isChance: true),
            ], covering: ["enclosure"], beside: [TableSketch(name: "states", rows: 9, columns: [])])
        #expect(proposal?.dependents == ["enclosure"])
        #expect(proposal?.keptBy.map(\.description) == ["bookmark.item", "label.item", "stars.x"])
        #expect(
            proposal?.protect == ["EXISTS (SELECT 1 FROM states WHERE states.\"Item\" = items.id)"])
        #expect(proposal?.isArchived == false)
    }

    @Test("what refers to rows by a column that kept_by cannot name protects them by a condition")
    func dots() {
        let id = Self.column("id", isKey: true) { .integer(Int64($0)) }
        let proposal = proposal(
            [id, Self.date],
            references: [
                ReferenceSketch(table: "a.b", column: "item", cascades: false),
                ReferenceSketch(table: "notes", column: "x.y", cascades: false),
            ],
            values: ["it.em", "it-em", ""].map { ValueReference(table: "stars", column: $0, target: "items") }
                + [ValueReference(table: "items", column: "up.per", target: "items")],
            beside: ["notes", "stars"].map { TableSketch(name: $0, rows: 9, columns: []) })
        #expect(proposal?.keptBy.map(\.description) == ["a.b.item", "stars.it-em"])
        #expect(
            proposal?.protect == [
                #"EXISTS (SELECT 1 FROM notes WHERE notes."x.y" = items.id)"#,
                #"EXISTS (SELECT 1 FROM stars WHERE stars."" = items.id)"#,
                #"EXISTS (SELECT 1 FROM stars WHERE stars."it.em" = items.id)"#,
            ])
    }

    @Test(
        "a table without times has no rule, and the reason",
        arguments: [
            ([], "no column with times"),
            (
                [column("id", isKey: true) { .integer(1_795_426_000 - Int64($0)) }],
                "id: the key, perhaps of times: seconds"
            ),
            (
                [column("date") { .integer(1_595_426_000 - Int64($0)) }],
                "date: no time after 2020-07-22, if these are seconds"
            ),
            ([column("date") { _ in .integer(1_795_426_000) }], "no column with times"),
            (
                [column("date") { .text("23.11.2026 08:\($0 % 50 + 10)") }],
                "date: looks like dates as text in the order of a country (dd.mm.yyyy, mm/dd/yyyy),"
                    + " which pruned does not read"
            ),
        ] as [([ColumnSketch], String)])
    func none(columns: [ColumnSketch], reason: String) {
        let table = TableSketch(name: "t", rows: 5_000, columns: columns)
        #expect(TableProposal(for: table, at: Self.now) == .none(table: "t", reason: reason))
    }

    @Test("a column of the table itself keeps none of its rows, for it goes with them")
    func ownReference() {
        let columns = [
            Self.column("id", isKey: true) { .integer(Int64($0)) },
            Self.column("parent") { .integer(Int64(max(0, $0 - 7))) }, Self.date,
        ]
        let values = [ValueReference(table: "items", column: "parent", target: "items")]
        #expect(proposal(columns, values: values).map(\.keptBy) == [])
    }

    @Test(
        "a table is small beside one of 1,000 rows that could have a rule, and else under 20 rows",
        arguments: [
            (999, 1_000, true, true), (1_000, 1_000, true, false), (999, 1_000, false, false),
            (999, 999, true, false), (20, 20, true, false), (19, 20, true, true),
        ])
    func small(rows: Int64, others: Int64, haveTimes: Bool, isSmall: Bool) {
        let small = TableSketch(name: "t", rows: rows, columns: [Self.date])
        let other = TableSketch(name: "u", rows: others, columns: haveTimes ? [Self.date] : [])
        let few = TableProposal.fewRows(in: [small, other], at: Self.now)
        #expect((TableProposal(for: small, fewRows: few, at: Self.now) == .small(table: "t")) == isSmall)
    }

    @Test("a table that nobody could look at has the reason")
    func unseen() {
        let table = TableSketch(name: "t", rows: 0, columns: [], obstacle: "no such collation")
        #expect(
            TableProposal(for: table, at: Self.now) == .none(table: "t", reason: "no such collation"))
    }

    @Test("the rule is what the proposal says, and the estimate counts the rows that stand for the table")
    func rule() {
        let table = TableSketch(
            name: "items", rows: 5_000, columns: [Self.date],
            spread: Set(stride(from: 0, to: 100, by: 2)))
        guard case .rule(let proposal) = TableProposal(for: table, at: Self.now) else {
            Issue.record("no rule")
            return
        }
        let rule = proposal.rule(named: "r", on: "s", keep: Span(90, .day))
        #expect(rule.expiry == .age(column: "date", keep: Span(90, .day)))
        #expect(rule.condition == nil && rule.archiveKeep != nil)
        #expect(proposal.estimate(keep: Span(90, .day), at: Self.now, in: .gmt) == 500)
        #expect(proposal.estimate(keep: Span(1, .year), at: Self.now, in: .gmt) == 0)
    }
}
