import Foundation
import TestSupport

/// Damages stores, logs and journals, lets the program at them, and looks at what is left of their rows.
struct DamagedStores: Part {
    static let name = "damage"
    static let aim = Aim(points: 100_000, unit: "mutants")
    static let sliceSeconds: Double? = 10

    /// The stores of one run, each a mutant.
    private static let mutantsPerRun = 24
    private static let templates = 120
    private static let ledgersPerCase = 6

    /// How often a run may read a page, by the average; seen were 7.
    private static let mostReads = 40

    private let setting: Setting
    private let now = Int(Date().timeIntervalSince1970)
    private let templates = StoreTemplates()
    private let ledgers: [LedgerTemplate]

    init(_ setting: Setting) throws {
        self.setting = setting
        ledgers = try LedgerTemplate.Confirmation.allCases.map { [now] in
            try LedgerTemplate($0, with: setting.pruned, in: setting.work + "/template", now: now)
        }
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        number % 2 == 0 ? try attemptStores(number, in: directory) : try attemptLedgers(number, in: directory)
    }

    private func attemptLedgers(_ number: Int, in directory: String) throws -> Attempt {
        var attempt = Attempt(points: Self.ledgersPerCase)
        var generator = setting.generator(number)
        for place in 0..<Self.ledgersPerCase {
            let template = ledgers[Int.random(in: 0..<ledgers.count, using: &generator)]
            var mutant = try LedgerMutant(
                template, pruned: setting.pruned, in: "\(directory)/\(place)", keeps: setting.keeps,
                using: SeededGenerator(seed: generator.next()))
            attempt.findings += try mutant.findings().map { "\(place): \($0)" }
        }
        return attempt
    }

    private func attemptStores(_ number: Int, in directory: String) throws -> Attempt {
        var generator = setting.generator(number)
        var attempt = Attempt(points: Self.mutantsPerRun)
        var mutants: [StoreMutant] = []
        for place in 0..<Self.mutantsPerRun {
            let template = try templates.template(
                Int.random(in: 0..<Self.templates, using: &generator), setting, now: now)
            try mutants.append(
                StoreMutant(
                    template, named: "s\(place)", in: directory, now: now, keeps: setting.keeps,
                    using: &generator))
        }
        try mutants.map(\.configuration).joined().write(
            toFile: directory + "/pruned.toml", atomically: false, encoding: .utf8)
        let common = ["--state-dir", directory, "--config", directory + "/pruned.toml"]
        let look = [["plan"], ["check"], ["status"], ["--run-now", "--dry-run"], ["explain", "r0", "137"]]
        if let look = look.randomElement(using: &generator), Int.random(in: 0..<4, using: &generator) == 0 {
            let ended = try spawn([setting.pruned] + look + common, in: directory)
            if ended.crashed { attempt.findings.append("\(look): \(ended)") }
        }
        let way =
            [[], ["--access-path", "index"], ["--access-path", "walk"]].randomElement(using: &generator) ?? []
        let ended = try spawn([setting.pruned, "--run-now", "--json"] + way + common, in: directory)
        let pages = mutants.reduce(0) { $0 + $1.pages }
        if let reads = ended.usage.reads, reads > Self.mostReads * pages {
            attempt.findings.append("\(reads) reads of \(pages) pages: \(ended)")
        }
        guard [0, 1, 3, 65, 74, 75].contains(ended.status), let report = try? ended.report() else {
            attempt.findings.append("the run: \(ended)")
            return attempt
        }
        if ended.status == 0, report.rules.contains(where: { $0.outcome != "done" }) {
            attempt.findings.append("it ended well, and not all rules are done: \(report.rules)")
        }
        for mutant in mutants {
            let said = report.rules.filter { $0.store == mutant.name }
            attempt.findings += try mutant.findings(after: said).map { "\(mutant.name): \($0)" }
        }
        return attempt
    }
}
