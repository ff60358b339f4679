import Conditions
import Foundation
import TestSupport
import Testing

/// Random conditions on random rows, judged by a database and by the oracle.
struct ConditionSample {
    let row: OracleTable
    let other: OracleTable
    let texts: [String]
    var times: [String] = []
    var countsOddOfOthers = true
    /// How many conditions are tried; `CONDITIONS` in the environment says another number.
    var count = ProcessInfo.processInfo.environment["CONDITIONS"].flatMap { Int($0) } ?? 400
    /// Where the random numbers start.
    let seed: UInt64

    /// Tries all conditions. `bind` gives one its meaning; `keys` are the rows for which SQL is true.
    func play(
        bind: (WrittenCondition) throws -> BoundCondition, keys: (BoundCondition, Bool) throws -> Set<Int64>
    ) throws {
        var conditions = RandomCondition(row, other, texts: texts, times: times, seed: seed)
        let oracle = ConditionOracle(tables: [row, other], countsOddOfOthers: countsOddOfOthers)
        var (differing, refused, decided) = (0, 0, 0)
        for _ in 0..<count {
            let condition = conditions.next()
            let text = condition.written
            let parsed = try WrittenCondition(parsing: text)
            #expect(parsed == condition, "\(text)")
            let bound: BoundCondition
            do {
                bound = try bind(parsed)
            } catch is ConditionError {
                refused += 1
                continue
            }
            let truths = row.rows.map { row in (key(row), oracle.judge(condition, ["t": (self.row, row)])) }
            for truth in [true, false] {
                let expected = Set(truths.filter { truth ? $0.1.isTrue : $0.1.isFalse }.map(\.0))
                let found = try keys(bound, truth)
                decided += expected.count
                guard found != expected else { continue }
                differing += 1
                guard differing < 4 else { return }
                let rows = row.rows.filter { found.symmetricDifference(expected).contains(key($0)) }
                Issue.record(
                    "\(text) is \(truth): \(found.sorted()) instead of \(expected.sorted()); \(rows.prefix(2))"
                )
            }
        }
        #expect(differing == 0)
        // What is always refused or never decided shows nothing.
        #expect(refused < count / 3 && decided > count * row.rows.count / 3, "\(refused) \(decided)")
    }

    private func key(_ row: [String: OracleValue]) -> Int64 {
        if case .integer(let key) = row["id"] { key } else { 0 }
    }
}
