import FoundationEssentials
import Pruning
import Retention
import SQLite

/// When each rule last ran to its end, and the rule at that time. A restart then neither repeats nor forgets a run, and
/// a changed rule is recognized.
extension LedgerTables {
    /// By rule.
    package func lastRuns() throws -> [Name: LastRun] {
        let cameBack = layout == .older ? "NULL" : LedgerSchema.newColumn
        let rows = try db.rows(
            """
            SELECT rule, began, said, place, deleted, dependents_deleted, duration_ms, \(cameBack) FROM last_run
            """)
        let runs = try rows.compactMap { row in
            try Name(row[0].string).map { name in
                let took: Duration? =
                    if case .double(let value) = row[6] { .milliseconds(min(value, 1e15)) } else { nil }
                let rule: RuleText = try Self.decoded(row[2].string)
                return (
                    name,
                    LastRun(
                        date: Self.date(microseconds: row[1].integer), rule: rule, place: Self.text(row[3]),
                        deleted: Self.number(row[4]), dependentsDeleted: Self.number(row[5]),
                        cameBack: Self.number(row[7]), took: took)
                )
            }
        }
        return Dictionary(runs) { first, _ in first }
    }

    /// The last runs of `rules` on the stores at `places`. A run of another rule with the same name, or on another
    /// store, does not count.
    package func lastRuns(of rules: [RetentionRule], at places: [Name: String]) throws -> [Name: LastRun] {
        let all = try lastRuns()
        let own = rules.compactMap { rule in
            all[rule.name].flatMap { $0.isOf(rule, at: places[rule.store]) ? (rule.name, $0) : nil }
        }
        return Dictionary(own) { first, _ in first }
    }

    /// When `rules` last ran on the stores at `places`, if their intervals count from that run; see
    /// ``LastRun/counts(for:at:)``.
    package func lastDates(of rules: [RetentionRule], at places: [Name: String]) throws -> [Name: Date] {
        let runs = try lastRuns(of: rules, at: places)
        let own = rules.compactMap { rule in
            runs[rule.name].flatMap {
                $0.counts(for: rule, at: places[rule.store]) ? (rule.name, $0.date) : nil
            }
        }
        return Dictionary(own) { first, _ in first }
    }

    /// Records that `rules`, as they are now, ran at `date` on the stores at `places`, with the results in `reports`.
    package func recordRuns(
        of rules: [RetentionRule], at date: Date, on places: [Name: String] = [:], reports: [RuleReport] = []
    ) throws {
        for rule in rules {
            let report = reports.first { $0.rule == rule.name }
            let took = report.map { DatabaseValue.double($0.duration.milliseconds) }
            try db.execute(
                """
                REPLACE INTO last_run (rule, began, said, place, deleted, dependents_deleted, duration_ms, came_back)
                VALUES (:rule, :began, :said, :place, :deleted, :dependents, :took, :back)
                """,
                [
                    "rule": .text(rule.name.description), "began": Self.value(date),
                    "said": .text(try Self.json(RuleText(rule))), "place": Self.value(places[rule.store]),
                    "deleted": Self.value(report?.deleted),
                    "dependents": Self.value(report?.dependentsDeleted), "took": took ?? .null,
                    "back": Self.value(report?.cameBack),
                ])
        }
    }
}
