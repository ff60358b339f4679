import Archive
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
    private let accessPath: AccessPath?
    private let database: Database
    private let rules: [RetentionRule]
    private let store: any PrunableStore
    private let archive: ArchiveFile
    /// Where the archive lies.
    private let state: TemporaryDirectory
    private let place: Comment

    /// A table of as many rows as a real one has, so that plans and batches are those of real tables.
    static var many: Int { 20_000 }

    init(_ name: Case.Name, rows: Int = 0, by accessPath: AccessPath? = nil) throws {
        let conformance = try Case(name)
        let largest = conformance.tables.map(\.rows.count).max() ?? 1
        try self.init(
            conformance, copies: rows / max(1, largest), accessPath, name: name.testDescription)
    }

    private init(_ conformance: Case, copies: Int, _ accessPath: AccessPath?, name: String) throws {
        (self.conformance, self.copies, self.accessPath) = (conformance, copies, accessPath)
        place = "\(name) on \(Database.self), \(copies) copies: \(conformance.title)"
        database = try Database(Database.dialect.statements(conformance, copies: copies))
        state = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: state.path + "/ledger", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o750])
        archive = ArchiveFile(
            stateDirectory: state.path, of: "s", limit: ArchiveLimit(ByteCount(1_000_000_000)))
        (store, rules) = try Self.store(conformance.rules, database, archive)
    }

    private static func store(
        _ rules: String, _ database: Database, _ archive: ArchiveFile
    ) throws -> (any PrunableStore, [RetentionRule]) {
        let text = Database.dialect.configuration(rules, store: database.place)
        let policy = try Configuration(text, file: "a case", systemTimeZone: .gmt).policy
        return (try database.store(policy.stores[0], policy.rules, archive), policy.rules)
    }

    func play() throws {
        try bringBack()
        let before = try contents()
        if let refusal = conformance.refusal, refusal.rules == nil {
            try expect(refusal)
            if let helped = conformance.helped {
                try CasePlay(helped, copies: copies, accessPath, name: "helped").play()
            }
            return
        }
        if rules.count == 1 { try explain(rules[0]) }
        if let remark = conformance.remark { try expect(remark) }
        let planned = report(dryRun: true)
        let ran = report(dryRun: false)
        for (plan, run) in zip(planned.rules, ran.rules) {
            if let refusal = conformance.refusal, refusal.rules?.contains("\(run.rule)") == true {
                for rule in [plan, run] { expect(refusal, of: rule) }
                continue
            }
            #expect(plan.outcome == .done && run.outcome == .done, "\(place): \(plan) \(run)")
            #expect(plan.expired == run.expired && run.expired == run.deleted, "\(place): \(plan) \(run)")
            #expect(plan.keptImplausible == run.keptImplausible, "\(place): \(plan) \(run)")
        }
        if let takes = conformance.takes {
            #expect(ran.rules.map(\.deleted) == takes.map { $0 * Int64(copies + 1) }, "\(place): \(ran)")
        }
        try compare(contents(), with: before)
        if copies == 0 { #expect(try contents() == self.expected(\.afterRun) { $0.going }, place) }
        if conformance.cameBack != nil { return try findAgain() }
        let again = report(dryRun: false)
        #expect(again.rules.allSatisfy { $0.deleted == 0 }, "\(place): \(again)")
        for (rule, run) in zip(rules, again.rules) {
            let isKnown = !rule.identity.isEmpty && rule.archiveKeep != nil
            #expect(run.cameBack == (isKnown ? 0 : nil), "\(place): \(run)")
        }
        // A restore goes row by row, and so is the same with more of them.
        guard copies == 0, rules.allSatisfy({ $0.archiveKeep != nil }) else { return }
        for sql in conformance.meanwhile { try database.execute(sql) }
        try restore(skipping: conformance.skipped)
        #expect(try contents() == self.expected(\.afterRestore) { _ in [] }, place)
        if conformance.meanwhile.isEmpty { try expectLeases(of: ran) }
    }

    /// Has the engine refuse the rules, which mean nothing there, each because of one of these causes.
    func playRefusal(because causes: [String]) throws {
        let before = try contents()
        for isDry in [true, false] {
            for rule in report(dryRun: isDry).rules {
                let cause = rule.failure?.cause ?? ""
                #expect(causes.contains(where: cause.contains) && rule.deleted == 0, "\(place): \(rule)")
            }
        }
        #expect(try contents() == before, place)
    }

    /// All rules are refused, and nothing changes.
    private func expect(_ refusal: Case.Refusal) throws {
        let before = try contents()
        for isDry in [true, false] {
            for rule in report(dryRun: isDry).rules { expect(refusal, of: rule) }
        }
        #expect(try contents() == before, place)
    }

    private func report(dryRun: Bool, after seconds: TimeInterval = 0) -> PruneReport {
        PruneRun.report(
            rules, on: [store], at: runStart.addingTimeInterval(seconds), dryRun: dryRun,
            accessPath: accessPath)
    }

    private func expect(_ refusal: Case.Refusal, of rule: RuleReport) {
        #expect(rule.outcome == (refusal.isHold ? .held : .failed), "\(place): \(rule)")
        #expect(rule.deleted == 0, "\(place): \(rule)")
        #expect(rule.failure?.cause.contains(refusal.cause) == true, "\(place): \(rule)")
        if let hint = refusal.hint {
            #expect(rule.failure?.hint?.contains(hint) == true, "\(place): \(rule)")
        }
    }

    // MARK: - What is said of rows

    /// Each reason counts in the plan as often as rows stay for it, and the explanation of a row names it.
    private func explain(_ rule: RetentionRule) throws {
        guard let table = conformance.tables.first(where: { $0.name == rule.table }) else { return }
        let view = try store.openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        let task = PruneTask(rule, start: runStart, in: .gmt)
        let ages = try view.ages(of: task)
        var counted: [String: Int64] = [:]
        for (reason, rows) in ages.stay.rows where rows > 0 {
            counted[Self.key(of: reason), default: 0] += rows
        }
        let plain = ["", "keep", "expires_column", "no time", "done", "added"]
        let expected = table.reasons.filter { !plain.contains($0.key) }
        #expect(counted == expected.mapValues { $0 * Int64(copies + 1) }, place)
        let odd = (table.reasons["no time"] ?? 0) * Int64(copies + 1)
        #expect(ages.census.implausible == odd, place)
        let others = conformance.tables.filter { $0.name != table.name }.map { Int64($0.going.count) }
        let dependents = others.reduce(0, +) * Int64(copies + 1)
        #expect(ages.dependents == nil || ages.dependents == dependents, "\(place): \(ages)")
        for row in copies > 0 ? Array(table.rows.prefix(3)) : table.rows where row.values[0] != "NULL" {
            let key = table.key.map { shifted(row.values[$0], table.columns[$0].type, by: copies) }
            let judged = try #require(try view.judge(key, by: task), "\(place): no row \(key)")
            let verdict: RowJudgement.Verdict =
                switch row.reason {
                case "": .goes
                case "done": .done
                default: .stays
                }
            #expect(judged.verdict == verdict, "\(place), row \(key): \(judged)")
            guard verdict == .stays else { continue }
            let reasons = judged.checks.filter { !$0.allows }.map(\.key)
            let isNamed =
                row.reason == "no time"
                ? reasons.contains("keep") || reasons.contains("expires_column")
                : reasons.contains(row.reason)
            #expect(isNamed, "\(place), row \(key): \(judged)")
        }
    }

    private static func key(of reason: ExemptRows.Reason) -> String {
        switch reason {
        case .leased: "lease"
        case .owned: "orphans_of"
        case .condition: "where"
        case .protection: "protect"
        case .newest: "keep_last"
        case .keyless, .keptBy: "kept_by"
        case .referredTo: "foreign_key"
        }
    }

    private func expect(_ remark: String) throws {
        let view = try store.openView(RunControl(monotonic: systemMonotonic))
        defer { view.close() }
        let remarks = try rules.flatMap {
            try view.remarks(before: PruneTask($0, start: runStart, in: .gmt))
        }
        #expect(remarks.contains { $0.contains(remark) }, "\(place): \(remarks)")
    }

    // MARK: - What is there

    /// The rows of each table, sorted.
    private func contents() throws -> [String: [String]] {
        try conformance.tables.reduce(into: [:]) { all, table in
            all[table.name] = try lines(database.rows(of: table, literals: nil))
        }
    }

    private func lines(_ rows: [(key: String, text: String)]) -> [String] {
        rows.map { "\($0.key): \($0.text)" }.sorted()
    }

    /// What the case says of the rows of each table, as ``contents()`` has them. Those of `later` are there, or else those
    /// from before without `gone`, which are marked if a rule marks them.
    private func expected(
        _ later: KeyPath<CaseTable, [CaseTable.Row]?>, without gone: (CaseTable) -> [CaseTable.Row]
    ) throws -> [String: [String]] {
        try conformance.tables.reduce(into: [:]) { all, table in
            let going = Set(gone(table).map(\.values))
            let marks = rules.first { $0.table == table.name && $0.action.isMark }
            var rows = table[keyPath: later] ?? []
            if table[keyPath: later] == nil {
                let isRun = later == \CaseTable.afterRun
                rows = (isRun ? table.rows : table.before).filter { !going.contains($0.values) }
                if let marks { rows += gone(table).map { marked($0, of: table, by: marks) } }
            }
            let literals = try rows.map { try Database.dialect.literals($0, of: table) }
            all[table.name] =
                literals.isEmpty ? [] : try lines(database.rows(of: table, literals: literals))
        }
    }

    private func marked(
        _ row: CaseTable.Row, of table: CaseTable, by rule: RetentionRule
    ) -> CaseTable.Row {
        guard case .mark(let columns) = rule.action else { return row }
        var row = row
        for mark in columns {
            guard let index = table.columns.firstIndex(where: { $0.name == mark.column }) else { continue }
            switch mark.value {
            case .integer(let number): row.values[index] = "\(number)"
            case .real(let number): row.values[index] = "\(number)"
            case .text(let text): row.values[index] = text
            }
        }
        return row
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
            let (stayed, staying) = (new.filter { !isGoing($0) }, old.filter { !isGoing($0) })
            // What rows that were detached are like says the case.
            let isDetached = rules.contains { $0.detach.contains { $0.table == table.name } }
            #expect(
                isDetached ? stayed.map(key) == staying.map(key) : stayed == staying,
                "\(place): \(table.name)")
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
        case .code, .tag: copy > 0 && key != "NULL" ? "\(key)-\(copy)" : key
        default: key
        }
    }

    // MARK: - What comes back

    /// Rows that other rules took before are there again, with a lease.
    private func bringBack() throws {
        guard let text = conformance.restored else { return }
        let (store, rules) = try Self.store(text, database, archive)
        let before = try contents()
        let report = PruneRun.report(rules, on: [store])
        #expect(report.rules.allSatisfy { $0.deleted > 0 }, "\(place): \(report)")
        try restore(skipping: [:])
        #expect(try contents() == before, place)
    }

    private func restore(skipping skipped: [String: Int64]) throws {
        let control = RunControl(monotonic: systemMonotonic)
        let parts = try archive.parts(control)
        let reports = [true, false].map { isDry in
            RestoreRun.execute(
                parts.map { part in
                    RestoreRun(
                        part, into: store, leaseEnd: runStart.addingTimeInterval(86_400),
                        settings: RunSettings(
                            dryRun: isDry, patience: .milliseconds(200), monotonic: systemMonotonic),
                        control: control)
                })
        }
        let restored = reports[1].map(\.restored)
        // What a constraint refuses only the restore itself can tell.
        for reports in reports.suffix(skipped["refused"] == nil ? 2 : 1) {
            let left = reports.flatMap(\.skipped).filter { $0.value > 0 }.reduce(into: [:]) {
                $0[$1.key.rawValue, default: 0] += $1.value
            }
            #expect(left == skipped, "\(place): \(reports)")
            #expect(reports.map(\.restored) == restored, "\(place): \(reports)")
            guard skipped.isEmpty else { continue }
            for report in reports { #expect(report.failure == nil, "\(place): \(report)") }
        }
    }

    /// What came back stays until its lease ends, and then goes again.
    private func expectLeases(of ran: PruneReport) throws {
        let back = try contents()
        let leased = report(dryRun: false)
        let left = try contents()
        for table in conformance.tables {
            let going = try table.going.map { try Database.dialect.literals($0, of: table) }
            let lines = going.isEmpty ? [] : try lines(database.rows(of: table, literals: going))
            #expect(Set(left[table.name] ?? []).isSuperset(of: lines), "\(place): \(leased)")
        }
        // Of several rules, the next may take others: what came back counts among the newest.
        guard rules.count == 1 else { return }
        #expect(leased.rules[0].deleted == 0 && left == back, "\(place): \(leased)")
        #expect(leased.rules[0].cameBack == (rules[0].identity.isEmpty ? nil : 0), "\(place): \(leased)")
        if let table = conformance.tables.first(where: { $0.name == rules[0].table }) {
            let view = try store.openView(RunControl(monotonic: systemMonotonic))
            defer { view.close() }
            for row in table.going where row.values[0] != "NULL" {
                let judged = try view.judge(
                    table.key.map { row.values[$0] }, by: PruneTask(rules[0], start: runStart, in: .gmt))
                let isLeased = judged?.checks.contains { $0.key == "lease" && !$0.allows }
                #expect(judged?.verdict == .stays && isLeased == true, "\(place): \(judged as Any)")
            }
        }
        guard conformance.restored == nil else { return }
        let later = report(dryRun: false, after: 86_401)
        #expect(later.rules[0].deleted >= ran.rules[0].deleted, "\(place): \(later)")
    }

    /// Rows that the app stores again are counted by the next run, once.
    private func findAgain() throws {
        let found = report(dryRun: false, after: 3_600)
        #expect(found.rules.map(\.cameBack) == rules.map { _ in 0 }, "\(place): \(found)")
        for sql in conformance.meanwhile { try database.execute(sql) }
        for (hour, expected) in [(2.0, conformance.cameBack), (3, 0)] {
            let found = report(dryRun: false, after: hour * 3_600)
            #expect(found.rules.map(\.cameBack) == rules.map { _ in expected }, "\(place): \(found)")
        }
    }
}
