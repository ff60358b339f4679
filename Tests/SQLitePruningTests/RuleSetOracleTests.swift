import Pruning
import Retention
import TestSupport
import Testing

/// Random sets of rules on the same tables: a plan, a dry run and a run agree, and they do what the words mean.
struct RuleSetOracleTests {
    private static let batches = 6
    private static let samples: UInt64 = 50

    @Test("of 300 random sets of rules, each plan says what its run does", arguments: 0..<batches)
    func random(batch: Int) throws {
        for number in 0..<Self.samples { try check(seed: UInt64(batch) * Self.samples + number) }
    }

    private func check(seed: UInt64) throws {
        let sample = RandomRuleSet(seed: seed)
        guard let rules = sample.rules else { return }
        let mode = seed % 4 == 0 ? "DELETE" : "WAL"
        let app = try TemporaryStore(
            "PRAGMA journal_mode = \(mode); PRAGMA synchronous = OFF;\n" + sample.sql)
        let words = rules.map { rule in
            "\(rule.name) on \(rule.table): \(rule.settings.map { "\($0.key.rawValue) = \($0.value)" })"
        }
        let place: Comment = "seed \(seed): \(words.joined(separator: "; "))"
        var oracle = sample.rows
        let expected = rules.map { oracle.take($0) }

        #expect(try plan(rules, app) == expected, place)
        let dry = PruneRun.report(rules, on: [app.store], dryRun: true).rules
        #expect(dry.allSatisfy { $0.outcome == .done }, "\(dry.compactMap(\.failure)) \(place)")
        #expect(dry.map(\.expired) == expected.map(\.rows), place)
        let run = PruneRun.report(rules, on: [app.store]).rules
        #expect(run.allSatisfy { $0.outcome == .done }, "\(run.compactMap(\.failure)) \(place)")
        #expect(run.map(\.deleted) == expected.map(\.rows), place)
        #expect(run.map(\.expired) == expected.map(\.rows), place)
        #expect(run.map(\.dependentsDeleted) == expected.map(\.dependents), place)
        #expect(try left(app) == oracle.left, place)
    }

    /// What a plan says of each rule.
    private func plan(_ rules: [RetentionRule], _ app: TemporaryStore) throws -> [RuleSetOracle.Taken] {
        let view = try app.store.openView(freeControl())
        defer { view.close() }
        var done: [PruneTask] = []
        return try rules.map { rule in
            let task = PruneTask(rule, start: runStart, in: .gmt, presumedDone: done)
            done.append(task)
            let ages = try view.ages(of: task)
            return RuleSetOracle.Taken(
                rows: ages.census.expired, dependents: ages.dependents ?? -1,
                old: ages.stay.rows.values.reduce(0, +))
        }
    }

    private func left(_ app: TemporaryStore) throws -> [String] {
        try ["t", "u", "v"].flatMap { table in
            try app.texts(
                "SELECT '\(table) ' || id || ' ' || coalesce(f, '-') || ' ' || coalesce(m, '-') || ' ' || coalesce(n, '-') FROM \(table)"
            )
        }.sorted()
    }
}
