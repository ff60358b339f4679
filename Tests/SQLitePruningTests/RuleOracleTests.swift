import Foundation
import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// Random schemas and rules, judged row by row by what the words of the rule language mean.
///
/// The oracle shares nothing with the sources: it evaluates conditions as trees with three values, times as
/// microseconds, and groups as texts.
struct RuleOracleTests {
    private static let batches = 10
    private static let samples: UInt64 = 100

    @Test(
        "of 1,000 random schemas and rules, exactly the rows go that the words mean", arguments: 0..<batches)
    func random(batch: Int) throws {
        for number in 0..<Self.samples { try check(seed: UInt64(batch) * Self.samples + number) }
    }

    /// One row alone is judged as in a run.
    private func checkJudgements(
        of sample: RandomRuleSample, _ expected: Set<Int>, _ app: TemporaryStore, _ place: Comment
    ) throws {
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        let task = PruneTask(sample.rule, start: runStart, in: .gmt)
        for id in sample.all {
            let judgement = try view.judge(["\(id)"], by: task)
            #expect((judgement?.verdict == .goes) == expected.contains(id), "row \(id), \(place)")
        }
    }

    private func check(seed: UInt64) throws {
        let sample = RandomRuleSample(seed: seed)
        let app = try sample.makeStore()
        let rule = sample.rule
        let place: Comment = "seed \(seed): \(rule.settings.map { "\($0.key.rawValue) = \($0.value)" })"
        let expected = sample.expected

        let view = try app.store.openView(freeControl())
        let task = PruneTask(rule, start: runStart, in: .gmt)
        let isTime = (try? UnitCheck(task: task, place: "s").check(view)) != nil
        let ages = isTime ? try view.ages(of: task) : nil
        view.close()
        if let ages {
            #expect(ages.census.expired == Int64(expected.count), place)
            let stay = ages.stay.rows.values.reduce(0, +)
            #expect(Int(ages.census.expired + stay) == sample.oldRows, place)
        }
        if isTime, seed % 5 == 0 { try checkJudgements(of: sample, expected, app, place) }

        let path = AccessPath.allCases[Int(seed % 2)]
        let report = app.outcome(rule, accessPath: seed % 3 == 0 ? nil : path)
        guard isTime else {
            #expect(report.outcome == .failed, place)
            #expect(try Set(app.integers("SELECT id FROM t").map(Int.init)) == sample.all, place)
            return
        }
        #expect(report.outcome == .done, "\(String(describing: report.failure)) \(place)")
        #expect(report.deleted == Int64(expected.count), place)
        let left = try Set(app.integers("SELECT id FROM t").map(Int.init))
        if rule.action.isMark {
            #expect(left == sample.all, place)
            let marked = try Set(app.integers("SELECT id FROM t WHERE m IS 1").map(Int.init))
            #expect(marked == sample.marked.union(expected), place)
        } else {
            #expect(left == sample.all.subtracting(expected), place)
        }
        #expect(try app.texts("SELECT hash FROM gone ORDER BY hash") == sample.tombstones, place)
        #expect(app.outcome(rule).deleted == 0, place)
        #expect(try app.texts("PRAGMA integrity_check") == ["ok"], place)
    }
}
