import Foundation
import Ledger
import Pruning
import Retention
import TestSupport
import Testing

/// When rules last ran to their end.
struct LastRunTests {
    private let directory: TemporaryDirectory
    private let ledger: Ledger

    /// Rules by these names.
    private func rules(_ names: Name...) -> [RetentionRule] {
        names.map {
            RetentionRule(
                name: $0, store: "s", table: "t", expiry: .age(column: "at", keep: Span(30, .day)))
        }
    }

    private var dates: [Name: Date] { ledger.lastRuns().mapValues(\.date) }

    private func lastRuns(of rules: [RetentionRule], at places: [Name: String]) -> [Name: LastRun] {
        ledger.readIfPossible(or: [:]) { try $0.lastRuns(of: rules, at: places) }
    }

    private func lastDates(of rules: [RetentionRule], at places: [Name: String]) -> [Name: Date] {
        ledger.readIfPossible(or: [:]) { try $0.lastDates(of: rules, at: places) }
    }

    init() throws {
        directory = try TemporaryDirectory()
        ledger = Ledger(stateDirectory: directory.path)
    }

    @Test("what is recorded is read again, and later runs replace earlier ones")
    func records() throws {
        #expect(dates == [:])
        try ledger.record(rules("a", "b.c-d_1"), at: runStart)
        try ledger.record(rules("a"), at: runStart.addingTimeInterval(0.5))
        #expect(dates == ["a": runStart.addingTimeInterval(0.5), "b.c-d_1": runStart])
    }

    @Test("what a run did stays with it")
    func reports() throws {
        var report = Reports.rule("a", deleted: 5)
        report.dependentsDeleted = 7
        report.cameBack = 3
        report.duration = .milliseconds(1_234)
        try ledger.record(rules("a", "b"), at: runStart, reports: [report])
        let runs = ledger.lastRuns()
        #expect(runs["a"]?.deleted == 5 && runs["a"]?.dependentsDeleted == 7 && runs["a"]?.cameBack == 3)
        #expect(runs["a"]?.took == .milliseconds(1_234))
        #expect(runs["b"]?.deleted == nil && runs["b"]?.took == nil)
    }

    @Test("a store is at one place, whatever links lead to its directory")
    func place() throws {
        let directory = try TemporaryDirectory()
        let real = try #require(realpath(directory.path, nil).map { String(cString: $0) })
        try #require(mkdir(real + "/app", 0o700) == 0 && symlink("app", real + "/link") == 0)
        #expect(StorePlace.resolved(real + "/link/x.db") == real + "/app/x.db")
        #expect(StorePlace.resolved(real + "/none/x.db") == real + "/none/x.db")
    }

    @Test(
        "a run counts for the rule on the table and the store that it was of, and for none that has its name by now"
    )
    func anotherRule() throws {
        let rule = try #require(rules("a").first)
        let places: [Name: String] = ["s": "/s", "u": "/s"]
        try ledger.record([rule], at: runStart, on: places)
        var (table, store, shorter) = (rule, rule, rule)
        table.table = "other"
        store.store = "u"
        shorter.expiry = .age(column: "at", keep: Span(1, .day))
        #expect(lastRuns(of: [rule], at: places)["a"]?.date == runStart)
        #expect(lastRuns(of: [shorter], at: places)["a"]?.date == runStart, "of the same rows")
        #expect(lastDates(of: [rule, shorter], at: places) == ["a": runStart])
        var (column, deadline, unit) = (rule, rule, rule)
        column.expiry = .age(column: "since", keep: Span(30, .day))
        deadline.expiry = .deadline(column: "at", grace: nil)
        unit.time.unit = .milliseconds
        for other in [column, deadline, unit] {
            #expect(lastDates(of: [other], at: places) == [:], "it has judged by no such time")
            #expect(lastRuns(of: [other], at: places).count == 1, "a guard says what changed")
        }
        #expect(lastRuns(of: [table], at: places) == [:])
        #expect(lastRuns(of: [store], at: places) == [:])
        #expect(lastRuns(of: [rule], at: ["s": "/moved"]) == [:])
        #expect(lastRuns(of: rules("b"), at: places) == [:])
    }
}
