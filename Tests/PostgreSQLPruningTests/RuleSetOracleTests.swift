import Pruning
import TestSupport
import Retention
import Testing

@testable import PostgreSQLPruning

/// Random sets of rules on the same tables: a plan, a dry run and a run agree, and they do what the words mean.
@Suite(
    "Random sets of rules on PostgreSQL",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct RuleSetOracleTests {
    private static let batches = 4
    private static let samples: UInt64 = 25

    @Test("of 100 random sets of rules, each plan says what its run does", arguments: 0..<batches)
    func random(batch: Int) throws {
        let database = try OwnedDatabase("")
        let app = try database.app()
        for number in 0..<Self.samples {
            try check(RandomRuleSet(seed: UInt64(batch) * Self.samples + number), database, app)
        }
    }

    private func check(_ sample: RandomRuleSet, _ database: OwnedDatabase, _ app: AppConnection) throws {
        guard let rules = sample.rules else { return }
        try app.execute(sample.postgreSQL(for: database.role))
        let words = rules.map { rule in
            "\(rule.name) on \(rule.table): \(rule.settings.map { "\($0.key.rawValue) = \($0.value)" })"
        }
        let place: Comment = "seed \(sample.seed): \(words.joined(separator: "; "))"
        var oracle = sample.rows
        let expected = rules.map { oracle.take($0) }

        for (plan, expected) in zip(try plan(rules, database), expected) {
            #expect(plan.census.expired == expected.rows, place)
            #expect(plan.stay.rows.values.reduce(0, +) == expected.old, place)
            // What goes by two keys, one after the other, is not counted.
            #expect(plan.dependents == nil || plan.dependents == expected.dependents, place)
        }
        let dry = try database.prune(rules, dryRun: true)
        #expect(dry.allSatisfy { $0.outcome == .done }, "\(dry.compactMap(\.failure)) \(place)")
        #expect(dry.map(\.expired) == expected.map(\.rows), place)
        let run = try database.prune(rules)
        #expect(run.allSatisfy { $0.outcome == .done }, "\(run.compactMap(\.failure)) \(place)")
        #expect(run.map(\.deleted) == expected.map(\.rows), place)
        #expect(run.map(\.dependentsDeleted) == expected.map(\.dependents), place)
        let left = try ["t", "u", "v"].flatMap { table in
            try app.texts(
                "SELECT '\(table) ' || id || ' ' || coalesce(f::text, '-') || ' ' || coalesce(m::text, '-') || ' ' || coalesce(n::text, '-') FROM \(table)"
            )
        }.sorted()
        #expect(left == oracle.left, place)
    }

    /// What a plan says of each rule.
    private func plan(_ rules: [RetentionRule], _ database: OwnedDatabase) throws -> [AgeProfile] {
        let view = try database.store(rules).openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        var done: [PruneTask] = []
        return try rules.map { rule in
            let task = PruneTask(rule, start: runStart, in: .gmt, presumedDone: done)
            done.append(task)
            return try view.ages(of: task)
        }
    }
}
