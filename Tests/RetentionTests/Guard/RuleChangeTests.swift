import Foundation
import Retention
import Testing

struct RuleChangeTests {
    private static let start = Date(timeIntervalSince1970: 1_795_176_000)

    private static func age(_ keep: String, _ change: (inout RetentionRule) -> Void = { _ in }) throws
        -> RetentionRule
    {
        var rule = RetentionRule(
            name: "r", store: "s", table: "t", expiry: .age(column: "at", keep: try Span(parsing: keep)),
            dependents: ["b", "a"], keptBy: [ColumnReference(table: "u", column: "id")])
        change(&rule)
        return rule
    }

    private static func deadline(_ grace: String?) throws -> RetentionRule {
        let grace = try grace.map { try Span(parsing: $0) }
        return RetentionRule(
            name: "r", store: "s", table: "t", expiry: .deadline(column: "until", grace: grace))
    }

    private func change(from last: RetentionRule, to rule: RetentionRule) -> RuleChange? {
        RuleChange(of: rule, since: RuleText(last), at: Self.start, in: .gmt)
    }

    @Test(
        "a shorter period is one by what it deletes, not by how it is written",
        arguments: [
            ("5y", "30d", true), ("30d", "5y", false), ("31d", "1month", false), ("32d", "1month", true),
            ("30d", "720h", false), ("30d", "719h 59min 59s", true), ("4w", "28d", false),
            ("30d", "30d", false),
        ])
    func shortened(from: String, to: String, isShorter: Bool) throws {
        let change = change(from: try Self.age(from), to: try Self.age(to))
        #expect(change == (isShorter ? .shortened(key: "keep", from: from, to: to) : nil))
    }

    @Test(
        "so is a shorter grace, and one that was removed",
        arguments: [
            ("2h", "1h", RuleChange.shortened(key: "grace", from: "2h", to: "1h")),
            ("2h", nil, .shortened(key: "grace", from: "2h", to: nil)), (nil, "1h", nil), ("1h", "2h", nil),
        ] as [(String?, String?, RuleChange?)])
    func grace(from: String?, to: String?, expected: RuleChange?) throws {
        #expect(change(from: try Self.deadline(from), to: try Self.deadline(to)) == expected)
    }

    @Test("whatever else is another rule is named by its keys")
    func rewritten() throws {
        let last = try Self.age("30d")
        let cases: [([String], (inout RetentionRule) -> Void)] = [
            (["store"], { $0.store = "other" }), (["table"], { $0.table = "other" }),
            (["unit"], { $0.time.unit = .milliseconds }), (["kept_by"], { $0.keptBy = [] }),
            (["dependents"], { $0.dependents = ["a"] }),
            (["age_column"], { $0.expiry = .age(column: "other", keep: Span(30, .day)) }),
            (
                ["keep", "kept_by"],
                {
                    $0.expiry = .age(column: "at", keep: Span(1, .day))
                    $0.keptBy = []
                }
            ),
            (["age_column", "expires_column", "keep"], { $0.expiry = .deadline(column: "at", grace: nil) }),
        ]
        for (keys, edit) in cases {
            #expect(change(from: last, to: try Self.age("30d", edit)) == .rewritten(keys))
        }
    }

    @Test("when a rule runs and when it is held make it no other rule")
    func same() throws {
        let other = try Self.age("30d") {
            $0.every = Span(1, .hour)
            $0.holdLimits = HoldLimits(maxShare: 0.1, minRows: 1)
            $0.dependents = ["a", "b"]
        }
        #expect(change(from: try Self.age("30d"), to: other) == nil)
    }

    @Test("the same rows can be judged by what the rule last said of period and keeper, and by no more")
    func applied() throws {
        let rule = try Self.age("30d")
        for last in [try Self.age("5y"), try Self.age("1d") { $0.keptBy = [] }, rule] {
            #expect(RuleText(last).applied(to: rule) == last)
        }
        #expect(RuleText(try Self.age("5y") { $0.table = "other" }).applied(to: rule) == nil)
        #expect(RuleText(try Self.deadline("5y")).applied(to: rule) == nil)
        let (bare, grace) = (try Self.deadline(nil), try Self.deadline("1h"))
        #expect(RuleText(bare).applied(to: grace) == bare)
        #expect(RuleText(grace).applied(to: bare) == grace)
    }

    @Test("what a rule said is kept as an object of texts, by the keys of the configuration")
    func coded() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = RuleText(try Self.age("1y 30d"))
        let data = try encoder.encode(text)
        #expect(
            String(decoding: data, as: UTF8.self)
                == "{\"age_column\":\"at\",\"dependents\":\"a,b\",\"keep\":\"1y 30d\",\"kept_by\":\"u.id\","
                + "\"store\":\"s\",\"table\":\"t\",\"unit\":\"s\"}")
        #expect(try JSONDecoder().decode(RuleText.self, from: data) == text)
    }
}
