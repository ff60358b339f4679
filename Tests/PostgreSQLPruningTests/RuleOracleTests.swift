import Pruning
import TestSupport
import Retention
import SQLitePruning
import Testing

@testable import PostgreSQLPruning

/// The random schemas and rules of the oracle, on both kinds of store.
@Suite("Random rules take the same rows from SQLite and from PostgreSQL")
struct RuleOracleTests {
    private static let batches = 4
    private static let samples: UInt64 = 50

    @Test(
        "of 200 random schemas and rules, exactly the rows go that the words mean, from both kinds of store",
        arguments: 0..<batches)
    func random(batch: Int) throws {
        let database = try OwnedDatabase("")
        let app = try database.app()
        for number in 0..<Self.samples {
            let sample = RandomRuleSample(seed: UInt64(batch) * Self.samples + number, isPortable: true)
            try check(sample, database, app)
        }
    }

    private func check(_ sample: RandomRuleSample, _ database: OwnedDatabase, _ app: AppConnection) throws {
        let rule = sample.rule
        let place: Comment =
            "seed \(sample.seed): \(rule.settings.map { "\($0.key.rawValue) = \($0.value)" })"
        try app.execute(sample.postgreSQL(for: database.role))
        let file = try sample.makeStore()
        let path = sample.seed % 3 == 0 ? nil : AccessPath.allCases[Int(sample.seed % 2)]
        let sqlite = SQLiteStore(
            StoreDefinition(name: "s", kind: .sqlite(path: file.path)), path: file.path, holder: "a test",
            monotonic: systemMonotonic)
        let postgreSQL = try database.store([rule])

        let ages = [try self.ages(rule, on: sqlite), try self.ages(rule, on: postgreSQL)]
        for ages in ages.compactMap(\.self) {
            #expect(ages.census.expired == Int64(sample.expected.count), place)
            #expect(
                Int(ages.census.expired + ages.stay.rows.values.reduce(0, +)) == sample.oldRows, place)
        }
        if let first = ages[0], let second = ages[1] {
            #expect(first.census == second.census, place)
            #expect(first.rows == second.rows, place)
            #expect(counted(first.stay) == counted(second.stay), place)
            #expect(first.oldestExpired == second.oldestExpired, place)
            #expect(first.newestExpired == second.newestExpired, place)
            #expect(first.next == second.next, place)
        }
        if ages[1] != nil, sample.seed % 5 == 0 { try checkJudgements(of: sample, postgreSQL, place) }

        let reports = [sqlite as any PrunableStore, postgreSQL].map {
            PruneRun.report([rule], on: [$0], accessPath: path).rules[0]
        }
        for (ages, report) in zip(ages, reports) {
            #expect(report.outcome == (ages == nil ? .failed : .done), "\(report.failure as Any) \(place)")
            #expect(report.deleted == (ages == nil ? 0 : Int64(sample.expected.count)), place)
        }
        try checkRows(
            of: sample, isPruned: ages[0] != nil, place, file.integers("SELECT id FROM t").map(Int.init),
            file.integers("SELECT id FROM t WHERE m = 1").map(Int.init),
            file.texts("SELECT hash FROM gone ORDER BY hash"))
        try checkRows(
            of: sample, isPruned: ages[1] != nil, place, app.integers("SELECT id FROM t"),
            app.integers("SELECT id FROM t WHERE m = 1"),
            app.texts("SELECT hash FROM gone ORDER BY hash COLLATE \"C\""))
        if ages[1] != nil, sample.seed % 5 == 1 {
            #expect(PruneRun.report([rule], on: [postgreSQL]).rules[0].deleted == 0, place)
        }
    }

    private func counted(_ exempt: ExemptRows) -> [ExemptRows.Reason: Int64] {
        exempt.rows.filter { $0.value > 0 }
    }

    /// Nil if most values of the column are no times in the rule's unit.
    private func ages(_ rule: RetentionRule, on store: any PrunableStore) throws -> AgeProfile? {
        let view = try store.openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        let task = PruneTask(rule, start: runStart, in: .gmt)
        guard (try? UnitCheck(task: task, place: "s").check(view)) != nil else { return nil }
        return try view.ages(of: task)
    }

    /// One row alone is judged as in a run.
    private func checkJudgements(
        of sample: RandomRuleSample, _ store: PostgreSQLStore, _ place: Comment
    ) throws {
        let view = try store.openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        let (task, expected) = (PruneTask(sample.rule, start: runStart, in: .gmt), sample.expected)
        for id in sample.all {
            let judgement = try view.judge(["\(id)"], by: task)
            #expect((judgement?.verdict == .goes) == expected.contains(id), "row \(id), \(place)")
        }
    }

    private func checkRows(
        of sample: RandomRuleSample, isPruned: Bool, _ place: Comment, _ left: [Int], _ marked: [Int],
        _ tombstones: [String]
    ) throws {
        let taken = isPruned ? sample.expected : []
        if sample.rule.action.isMark {
            #expect(Set(left) == sample.all, place)
            #expect(Set(marked) == sample.marked.union(taken), place)
        } else {
            #expect(Set(left) == sample.all.subtracting(taken), place)
        }
        #expect(tombstones == (isPruned ? sample.tombstones : ["h1"]), place)
    }
}
