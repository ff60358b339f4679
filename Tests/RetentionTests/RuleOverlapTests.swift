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

    @Test("rules on tables of their own overlap with none; of three on one table each two are told")
    func tables() {
        #expect(Self.overlaps(Self.rule("a"), Self.rule("b", "u")).isEmpty)
        var other = Self.rule("b")
        other.store = "another"
        #expect(Self.overlaps(Self.rule("a"), other).isEmpty)
        #expect(Self.overlaps(Self.rule("a"), Self.rule("b"), Self.rule("c")).count == 3)
    }
}
