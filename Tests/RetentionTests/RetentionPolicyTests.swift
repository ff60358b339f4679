import Foundation
import Retention
import Testing

struct RetentionPolicyTests {
    static let stores = [
        StoreDefinition(name: "a", path: "a.sqlite"), StoreDefinition(name: "b", path: "b.sqlite"),
    ]

    static func rule(
        _ name: Name, on table: String, keptBy keeper: String? = nil, store: Name = "a"
    ) -> RetentionRule {
        RetentionRule(
            name: name, store: store, table: table, expiry: .age(column: "at", keep: Span(1, .day)),
            keptBy: keeper.map { [ColumnReference(table: $0, column: "id")] } ?? [])
    }

    static func order(_ rules: [RetentionRule]) throws -> [Name] {
        try RetentionPolicy(timeZone: .gmt, stores: stores, rules: rules).rules.map(\.name)
    }

    @Test("rules run by name")
    func byName() throws {
        #expect(
            try Self.order([Self.rule("c", on: "x"), Self.rule("a", on: "y"), Self.rule("b", on: "z")]) == [
                "a", "b", "c",
            ])
    }

    @Test("a rule on the table that keeps another rule's rows runs first, through a chain")
    func keepersFirst() throws {
        let rules = [
            Self.rule("a", on: "x", keptBy: "Y"), Self.rule("b", on: "y", keptBy: "z"),
            Self.rule("c", on: "z"),
        ]
        #expect(try Self.order(rules) == ["c", "b", "a"])
    }

    @Test("a keeper in another store, or with no rule, or the rule's own table changes nothing")
    func unrelatedKeepers() throws {
        #expect(
            try Self.order([Self.rule("a", on: "x", keptBy: "y"), Self.rule("b", on: "y", store: "b")]) == [
                "a", "b",
            ])
        #expect(
            try Self.order([Self.rule("a", on: "x", keptBy: "q"), Self.rule("b", on: "y")]) == ["a", "b"])
        #expect(try Self.order([Self.rule("a", on: "x", keptBy: "x")]) == ["a"])
    }

    @Test("rules that keep each other's rows are refused")
    func cycle() {
        let rules = [
            Self.rule("a", on: "x", keptBy: "y"), Self.rule("b", on: "y", keptBy: "x"),
            Self.rule("c", on: "z"),
        ]
        #expect(throws: PolicyError.circularKeepers(["a", "b"])) { try Self.order(rules) }
    }

    @Test("a policy without rules, with twins, or with a rule on no store is refused")
    func inconsistent() {
        #expect(throws: PolicyError.empty) { try Self.order([]) }
        #expect(throws: PolicyError.duplicateRule("a")) {
            try Self.order([Self.rule("a", on: "x"), Self.rule("a", on: "y")])
        }
        #expect(throws: PolicyError.unknownStore(rule: "a", store: "c")) {
            try Self.order([Self.rule("a", on: "x", store: "c")])
        }
        #expect(throws: PolicyError.duplicateStore("a")) {
            try RetentionPolicy(
                timeZone: .gmt, stores: Self.stores + Self.stores, rules: [Self.rule("a", on: "x")])
        }
    }

    @Test("the built-in policy prunes tweets before the read records that they keep")
    func builtIn() throws {
        let policy = try RetentionPolicy.builtIn(timeZone: .gmt)
        #expect(policy.rules.map(\.name) == ["feed-cache", "items", "timeline", "read-records", "users"])
        #expect(policy.rule(named: "read-records")?.keptBy == [ColumnReference(table: "tweet", column: "id")])
        #expect(policy.rule(named: "feed-cache")?.dependents == ["article"])
        #expect(policy.rule(named: "nothing") == nil)
    }
}
