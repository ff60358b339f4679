import Foundation
import Retention
import Testing

/// Two rules on one table, and whether one of them never finds anything.
struct RuleOverlapTests {
    private static func rule(
        _ name: Name, _ table: String = "t", keep: Int64 = 30, column: String = "at",
        keepLast: Int64? = nil, keptBy: ColumnReference? = nil, unit: TimeUnit = .seconds
    ) -> RetentionRule {
        RetentionRule(
            name: name, store: "s", table: table, expiry: .age(column: column, keep: Span(keep, .day)),
            time: TimeFormat(unit), keptBy: keptBy.map { [$0] } ?? [], keepLast: keepLast)
    }

    private static let star = ColumnReference(table: "star", column: "id")

    private static func overlaps(_ rules: RetentionRule...) -> [RuleOverlap] {
        RuleOverlap.all(among: rules, at: Date(timeIntervalSince1970: 1_795_000_000), in: .gmt)
    }

    @Test(
        "the rule that waits longer has nothing left, unless the other one keeps rows that it does not",
        arguments: [
            (rule("a"), rule("b", keep: 60), "b"), (rule("a", keep: 60), rule("b"), "a"),
            (rule("a"), rule("b"), "b"), (rule("a"), rule("b", "T", keep: 60, column: "AT"), "b"),
            (rule("a"), rule("b", keep: 60, column: "seen"), nil),
            (rule("a"), rule("b", keep: 60, unit: .milliseconds), nil),
            (rule("a", keepLast: 9), rule("b", keep: 60), nil),
            (rule("a", keepLast: 9), rule("b", keep: 60, keepLast: 10), "b"),
            (rule("a"), rule("b", keep: 60, keepLast: 10), "b"),
            (rule("a", keptBy: star), rule("b", keep: 60), nil),
            (rule("a", keptBy: star), rule("b", keep: 60, keptBy: star), "b"),
        ] as [(RetentionRule, RetentionRule, Name?)])
    func idle(first: RetentionRule, second: RetentionRule, idle: Name?) throws {
        let overlap = try #require(Self.overlaps(first, second).first)
        #expect(overlap.idle == idle)
        #expect(overlap.remark.contains("is not needed") == (idle != nil))
    }

    @Test("of many rules on a table a person reads one line for each rule")
    func many() throws {
        let rules = try (0..<80).map { number in
            var rule = Self.rule(try #require(Name("r\(number)")))
            rule.condition = "kind = \(number)"
            return rule
        }
        let overlaps = RuleOverlap.all(
            among: rules, at: Date(timeIntervalSince1970: 1_795_000_000), in: .gmt)
        let remarks = rules.map { RuleOverlap.remarks(on: $0.name, among: overlaps) }
        #expect(remarks.map(\.count) == [0] + Array(repeating: 1, count: 79))
        #expect(remarks[79][0].hasPrefix("79 rules before this one are on this table, too, the first is r0;"))
    }

    @Test(
        "a rule that deletes beside one that marks is told, unless it asks for the mark or spares the same rows",
        arguments: [
            (nil, [], true), ("gone = 1 AND x = 2", [], false), (nil, ["star"], true), ("read", [], true),
            ("read", ["star"], false),
        ] as [(String?, [String], Bool)])
    func marked(condition: String?, protect: [String], isTold: Bool) {
        var (marking, deleting) = (Self.rule("m"), Self.rule("d", keep: 60))
        marking.action = .mark([MarkedColumn("gone", .integer(1))])
        (marking.condition, marking.protect) = ("read", ["star"])
        (deleting.condition, deleting.protect) = (condition, protect)
        for rules in [[marking, deleting], [deleting, marking]] {
            let overlaps = RuleOverlap.all(
                among: rules, at: Date(timeIntervalSince1970: 1_795_000_000), in: .gmt)
            #expect(overlaps.map(\.idle) == (isTold ? [nil] : []))
            #expect(
                overlaps.allSatisfy {
                    $0.remark.hasPrefix("rule d deletes rows of this table that m only marks")
                })
        }
    }

    @Test("rules on tables of their own overlap with none; of three on one table each two are told")
    func tables() {
        #expect(Self.overlaps(Self.rule("a"), Self.rule("b", "u")).isEmpty)
        var other = Self.rule("b")
        other.store = "another"
        #expect(Self.overlaps(Self.rule("a"), other).isEmpty)
        #expect(Self.overlaps(Self.rule("a"), Self.rule("b"), Self.rule("c")).count == 3)
    }
}
