import Foundation
import Retention
import TestSupport

/// Random sets of rules on the same tables, of ``RandomRuleSet``, each in a store of its own, and one program that runs
/// them all.
struct RuleSetTrial {
    private static let stores = 8

    let setting: Setting
    let directory: String

    func attempt(_ random: inout SampleRandom) throws -> Attempt {
        var attempt = Attempt(points: 0)
        var text = "time_zone = \"UTC\"\n[guard]\nmax_share = 1\n"
        var sets: [(name: String, set: RandomRuleSet, rules: [RetentionRule], file: StoreFile)] = []
        try FileManager.default.createDirectory(
            atPath: directory + "/state", withIntermediateDirectories: false)
        for number in 0..<Self.stores {
            let set = RandomRuleSet(seed: UInt64(random.number(0...Int.max)))
            // Some sets are none that a configuration can have.
            guard let rules = set.rules else { continue }
            let (name, path) = ("s\(number)", "\(directory)/s\(number).db")
            let file = try StoreFile(path)
            let mode = random.pick("WAL", "WAL", "DELETE")
            try file.execute("PRAGMA journal_mode = \(mode); PRAGMA synchronous = OFF;\n" + set.sql)
            text += "[store.\(name)]\npath = \"\(path)\"\n"
            text += rules.map { $0.configuration(in: name) }.joined()
            sets.append((name, set, rules, file))
            attempt.points += rules.count
        }
        try Data(text.utf8).write(to: URL(filePath: directory + "/pruned.toml"))
        let program = try spawn(
            [setting.pruned, "--run-now", "--json", "--state-dir", "state", "--config", "pruned.toml"],
            environment: ["LD_PRELOAD": setting.clock, "CLOCK_NOW": "\(RandomTimes.start)"], in: directory,
            seconds: 600)
        guard program.status == 0, let report = try? program.report() else {
            attempt.findings.append("sets of rules: \(program)")
            return attempt
        }
        for (name, set, rules, file) in sets {
            var oracle = set.rows
            for rule in rules {
                let (taken, said) = (oracle.take(rule), report["\(name)-\(rule.name)"])
                let isRight =
                    said?.outcome == "done" && said?.expired == Int(taken.rows)
                    && said?.deleted == Int(taken.rows)
                    && said?.dependentsDeleted == Int(taken.dependents)
                guard !isRight else { continue }
                attempt.findings.append(
                    "set \(set.seed), rule \(rule.name): \(String(describing: said)), not \(taken)")
            }
            if try Self.left(file) != oracle.left {
                attempt.findings.append("set \(set.seed): other rows are left")
            }
            let damage = try file.texts("PRAGMA integrity_check")
            if damage != ["ok"] { attempt.findings.append("set \(set.seed): damaged: \(damage)") }
        }
        return attempt
    }

    private static func left(_ file: StoreFile) throws -> [String] {
        try ["t", "u", "v"].flatMap { table in
            try file.rows("SELECT id, ifnull(f, '-'), ifnull(m, '-'), ifnull(n, '-') FROM \(table)").map {
                "\(table) \($0.joined(separator: " "))"
            }
        }.sorted()
    }
}

extension RetentionRule {
    /// The rule as a table of a configuration.
    fileprivate func configuration(in store: String) -> String {
        let text = RuleSample.text
        let list = { (texts: [String]) in "[\(texts.map(text).joined(separator: ", "))]" }
        var lines = ["[rule.\(store)-\(name)]", "store = \"\(store)\"", "table = \(text(table))"]
        switch expiry {
        case .age(let column, let keep): lines += ["age_column = \(text(column))", "keep = \"\(keep)\""]
        case .deadline(let column, _): lines.append("expires_column = \(text(column))")
        case .orphan: break
        }
        if let condition { lines.append("where = \(text(condition))") }
        if !protect.isEmpty { lines.append("protect = \(list(protect))") }
        if !dependents.isEmpty { lines.append("dependents = \(list(dependents.sorted()))") }
        if !keptBy.isEmpty { lines.append("kept_by = \(list(keptBy.map(\.description)))") }
        if let keepLast { lines.append("keep_last = \(keepLast)") }
        if !keepLastPer.isEmpty { lines.append("keep_last_per = \(list(keepLastPer))") }
        if case .mark(let columns) = action {
            let values = columns.map { column in
                switch column.value {
                case .integer(let value): "\(column.column) = \(value)"
                case .real(let value): "\(column.column) = \(value)"
                case .text(let value): "\(column.column) = \(text(value))"
                }
            }
            lines.append("action = { set = { \(values.joined(separator: ", ")) } }")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
