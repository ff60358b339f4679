import Foundation
import TestSupport

/// Random samples in stores, and one program that runs all their rules.
struct RuleTrial {
    struct Entry {
        /// Of the rule.
        let name: String
        /// As the configuration names the store.
        let store: String
        var sample: RuleSample
        let content: any SampleStore
        /// How many rows its source has delivered again; nil where nobody can know.
        var cameBack: Int?
    }

    let setting: Setting
    let directory: String
    let moment: RunMoment
    var entries: [Entry]
    var findings: [String] = []

    /// - Parameter stores: the tables of the configuration that say where they are.
    init(
        _ entries: [Entry], stores: String, at moment: RunMoment, in directory: String, _ setting: Setting
    ) throws {
        (self.entries, self.moment, self.directory, self.setting) = (entries, moment, directory, setting)
        let rules = entries.map { $0.sample.configuration($0.name, store: $0.store) }
        let text = """
            time_zone = \(RuleSample.text(moment.zone.name))
            [guard]
            max_share = 1
            \(stores)
            \(rules.joined(separator: "\n"))
            """
        try Data(text.utf8).write(to: URL(filePath: directory + "/pruned.toml"))
        try FileManager.default.createDirectory(
            atPath: directory + "/state", withIntermediateDirectories: false)
    }

    func program(_ arguments: String...) throws -> EndedProgram {
        try spawn(
            [setting.pruned] + arguments + ["--json", "--state-dir", "state", "--config", "pruned.toml"],
            environment: ["LD_PRELOAD": setting.clock, "CLOCK_NOW": "\(moment.now)", "TZ": "UTC"],
            in: directory,
            seconds: 600)
    }

    /// Lets the rules be foreseen, run, repeated and undone, and looks each time.
    mutating func run(_ random: inout SampleRandom) throws {
        let before = try entries.map { try $0.content.content() }
        if random.chance(0.2) { try foresee() }
        if random.chance(0.3) { try explain(&random) }
        guard let report = try run(before, "the run") else { return }
        if random.chance(0.15) { try repeatRun() }
        if random.chance(0.15) { return try bringBack(&random) }
        if random.chance(0.2) { try restore(report, to: before) }
    }

    mutating func run(_ before: [StoreContent], _ what: String) throws -> PrintedReport? {
        let program = try program("--run-now")
        guard let report = report(of: program, what) else { return nil }
        let mustFail = entries.contains { $0.sample.mustFail }
        if program.status != (mustFail ? 1 : 0) { findings.append("\(what) ended with \(program)") }
        for (entry, before) in zip(entries, before) {
            check(entry, report[entry.name], isDry: false)
            let found = try entry.content.content().difference(from: entry.sample.expected(after: before))
            if let found { findings.append("\(what), rule \(entry.name): \(found)") }
            if !entry.sample.names.isAfterAnother, let damage = try entry.content.damage() {
                findings.append("\(entry.store): damaged: \(damage)")
            }
        }
        return report
    }

    mutating func report(of program: EndedProgram, _ what: String) -> PrintedReport? {
        let report = try? program.report()
        if report == nil || program.crashed { findings.append("\(what) has no report: \(program)") }
        return report
    }

    private mutating func check(_ entry: Entry, _ rule: PrintedReport.Rule?, isDry: Bool) {
        let sample = entry.sample
        func differ(_ what: String, _ have: Int?, _ want: Int) {
            guard have != want else { return }
            let number = have.map(String.init) ?? "none"
            findings.append(
                "rule \(entry.name): \(what) \(number), not \(want)\(isDry ? ", in the plan" : "")")
        }
        guard let rule else {
            findings.append("rule \(entry.name) is not in the report")
            return
        }
        guard !sample.mustFail else {
            if rule.outcome != "failed" { findings.append("rule \(entry.name) did not fail: \(rule)") }
            return
        }
        guard rule.outcome == "done" else {
            findings.append("rule \(entry.name): \(rule.outcome), \(rule.reason ?? "")")
            return
        }
        let (taken, cutoff) = (sample.taken.count, ColumnFormat.written(sample.cutoff))
        differ("expired", rule.expired, taken)
        differ("deleted", rule.deleted, isDry ? 0 : taken)
        // In PostgreSQL a plan does not follow a cascade beyond the next table.
        if !isDry || sample.names.schema == nil || sample.children.count < 2 || sample.taken.isEmpty {
            differ("dependents", isDry ? rule.dependentsExpired : rule.dependentsDeleted, sample.cascaded)
        }
        differ("implausible", rule.keptImplausible, sample.implausible)
        if sample.rule.kind != .orphan, rule.cutoff != cutoff.replacing(" ", with: "T") + "Z" {
            findings.append("rule \(entry.name): cutoff \(rule.cutoff), not \(cutoff)")
        }
        guard isDry else { return }
        differ("rows", rule.rows, sample.counted.count)
        differ("old rows that stay", rule.stays?.reduce(0) { $0 + $1.rows }, sample.old - taken)
    }

    private mutating func foresee() throws {
        let program = try program("plan")
        guard let report = report(of: program, "the plan") else { return }
        for entry in entries { check(entry, report[entry.name], isDry: true) }
    }

    /// Has one row of one sample judged alone.
    private mutating func explain(_ random: inout SampleRandom) throws {
        let entry = random.pick(entries)
        let sample = entry.sample
        guard !sample.mustFail, !sample.rows.isEmpty, sample.shape.key != .none else { return }
        let row = random.pick(sample.rows)
        guard let key = row.plainKey else { return }
        let program = try spawn(
            [
                setting.pruned, "explain", "--json", "--state-dir", "state", "--config", "pruned.toml",
                entry.name, "--",
            ]
                + key,
            environment: ["LD_PRELOAD": setting.clock, "CLOCK_NOW": "\(moment.now)", "TZ": "UTC"],
            in: directory)
        let verdict =
            sample.rule.isDone(row) ? "done" : sample.taken.contains(row.tag) ? "goes" : "stays"
        if !program.output.contains("\"verdict\":\"\(verdict)\"") {
            findings.append("rule \(entry.name), row \(row.tag) is not explained as \(verdict): \(program)")
        }
    }
}
