import Foundation
import PolicyFile
import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// Plays a case on an engine: what the plan and each explanation say, what a run does, what a second one does, and what a
/// restore brings back.
struct CasePlay<Database: CaseDatabase> {
    private let conformance: Case
    private let copies: Int
    private let database: Database
    private let rules: [RetentionRule]
    private let store: any PrunableStore
    private let archive: SQLiteArchive
    /// Where the archive lies.
    private let state: TemporaryDirectory
    private let place: Comment

    /// A table of as many rows as a real one has, so that plans and batches are those of real tables.
    static var many: Int { 20_000 }

    init(_ name: String, rows: Int = 0) throws {
        conformance = try Case(name)
        let largest = conformance.tables.map(\.rows.count).max() ?? 1
        copies = rows / max(1, largest)
        place = "\(name) on \(Database.self), \(copies) copies: \(conformance.title)"
        database = try Database(Database.dialect.statements(conformance, copies: copies))
        let text = Database.dialect.configuration(conformance, store: database.place)
        let configuration = try Configuration(text, file: "\(name).toml", systemTimeZone: .gmt)
        rules = configuration.policy.rules
        state = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: state.path + "/ledger", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o750])
        archive = SQLiteArchive(stateDirectory: state.path, limit: ByteCount(1_000_000_000), stores: ["s"])
        store = try database.store(configuration.policy.stores[0], rules, archive)
    }

    func play() throws {
        let before = try contents()
        if let refusal = conformance.refusal {
            for isDry in [true, false] {
                for rule in report(dryRun: isDry).rules {
                    #expect(rule.outcome == .failed, place)
                    #expect(rule.failure?.cause.contains(refusal.cause) == true, "\(place): \(rule)")
                    #expect(
                        refusal.hint.map { rule.failure?.hint?.contains($0) == true } ?? true,
                        "\(place): \(rule)")
                }
            }
            #expect(try contents() == before, place)
            return
        }
        if rules.count == 1 { try explain(rules[0]) }
        let planned = report(dryRun: true)
        let ran = report(dryRun: false)
        for (plan, run) in zip(planned.rules, ran.rules) {
            #expect(plan.outcome == .done && run.outcome == .done, "\(place): \(plan) \(run)")
            #expect(plan.expired == run.expired && run.expired == run.deleted, "\(place): \(plan) \(run)")
        }
        try compare(contents(), with: before)
        let again = report(dryRun: false)
        #expect(again.rules.allSatisfy { $0.outcome == .done && $0.deleted == 0 }, "\(place): \(again)")
        // A restore goes row by row, and so is the same with more of them.
        guard copies == 0, rules.allSatisfy({ $0.archiveKeep != nil }) else { return }
        try restore()
        #expect(try contents() == before, place)
    }

    private func report(dryRun: Bool) -> PruneReport {
        PruneRun.report(rules, on: [store], dryRun: dryRun)
    }

    // MARK: - What is said of rows

    /// Each reason counts in the plan as often as rows stay for it, and the explanation of a row names it.
    private func explain(_ rule: RetentionRule) throws {
        guard let table = conformance.tables.first(where: { $0.name == rule.table }) else { return }
        let view = try store.openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        let task = PruneTask(rule, start: runStart, in: .gmt)
        var counted: [String: Int64] = [:]
        for (reason, rows) in try view.ages(of: task).stay.rows where rows > 0 {
            counted[Self.key(of: reason), default: 0] += rows
        }
        let expected = table.reasons.filter { !["", "keep", "expires_column", "done"].contains($0.key) }
        #expect(counted == expected.mapValues { $0 * Int64(copies + 1) }, place)
        for row in copies > 0 ? Array(table.rows.prefix(3)) : table.rows {
            let key = shifted(row.values[0], table.columns[0].type, by: copies)
            let judged = try #require(try view.judge([key], by: task), "\(place): no row \(key)")
            let verdict: RowJudgement.Verdict =
                switch row.reason {
                case "": .goes
                case "done": .done
                default: .stays
                }
            #expect(judged.verdict == verdict, "\(place), row \(key): \(judged)")
            guard verdict == .stays else { continue }
            let reasons = judged.checks.filter { !$0.allows }.map(\.key)
            #expect(reasons.contains(row.reason), "\(place), row \(key): \(judged)")
        }
    }

    private static func key(of reason: ExemptRows.Reason) -> String {
        switch reason {
        case .leased: "lease"
        case .condition: "where"
        case .protection: "protect"
        case .newest: "keep_last"
        case .keyless, .keptBy: "kept_by"
        case .referredTo: "foreign_key"
        }
    }

    // MARK: - What is there

    /// The rows of each table, sorted.
    private func contents() throws -> [String: [String]] {
        try conformance.tables.reduce(into: [:]) { all, table in
            all[table.name] = try database.rows(of: table).map { "\($0.key): \($0.text)" }.sorted()
        }
    }

    /// The rows that stay are there unchanged, and of those that go none is, or each has a mark.
    private func compare(_ after: [String: [String]], with before: [String: [String]]) throws {
        for table in conformance.tables {
            let type = table.columns[0].type
            let all = { (keys: Set<String>) in
                Set((0...copies).flatMap { copy in keys.map { shifted($0, type, by: copy) } })
            }
            let key = { (line: String) in String(line.prefix { $0 != ":" }) }
            let (goes, added) = (all(table.goes), all(table.added))
            let isGoing = { (line: String) in goes.union(added).contains(key(line)) }
            let (old, new) = (before[table.name] ?? [], after[table.name] ?? [])
            #expect(new.filter { !isGoing($0) } == old.filter { !isGoing($0) }, "\(place): \(table.name)")
            #expect(added.isSubset(of: new.map(key)), "\(place): \(table.name) has \(new.prefix(5))")
            let left = new.filter { goes.contains(key($0)) }
            let marks = rules.contains { $0.table == table.name && $0.action.isMark }
            #expect(
                marks ? Set(left).isDisjoint(with: old) : left.isEmpty,
                "\(place): \(table.name) has \(left.prefix(5))")
        }
    }

    private func shifted(_ key: String, _ type: CaseTable.Column.Kind, by copy: Int) -> String {
        switch type {
        case .key, .link, .group: Int(key).map { "\($0 + copy * CaseDialect.stride)" } ?? key
        case .code, .tag: copy > 0 ? "\(key)-\(copy)" : key
        default: key
        }
    }

    private func restore() throws {
        let control = RunControl(monotonic: systemMonotonic)
        let runs = try archive.parts(control).map { part in
            RestoreRun(
                part, into: store, leaseEnd: runStart.addingTimeInterval(86_400),
                settings: RunSettings(
                    dryRun: false, patience: .milliseconds(200), monotonic: systemMonotonic),
                control: control)
        }
        for report in RestoreRun.execute(runs) { #expect(report.failure == nil, "\(place): \(report)") }
    }
}
