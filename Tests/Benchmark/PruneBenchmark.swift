import ArgumentParser
import Foundation

@main
struct PruneBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "PruneBenchmark",
        abstract: "Measures pruned against one DELETE statement, and judges the targets.",
        subcommands: [RunCommand.self, BuildCommand.self, AppCommand.self], defaultSubcommand: RunCommand.self
    )
}

/// Measures rows of the targets and shows what was found.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measure, print the table, exit with 1 if a run did the wrong thing.",
        discussion: "A missed target is shown and does not change the exit status.")

    @Option(help: ArgumentHelp("Only these rows of the targets: 1,2b,6.", valueName: "list"))
    var rows: String?

    @Option(help: ArgumentHelp("How often each program runs (default 5, with --quick 1).", valueName: "n"))
    var runs: Int?

    @Flag(help: "Small stores and no judgement of times: does everything still work?")
    var quick = false

    @Option(
        help: ArgumentHelp(
            "The program to measure (default: the one beside this one). Repeat it to compare builds in turn: the last is judged, each is compared with the first.",
            valueName: "path"))
    var pruned: [String] = []

    @Flag(help: "Leave out A and B, and what is judged by them.")
    var withoutPeers = false

    @Option(
        help: ArgumentHelp("Where the stores are made (default: below $TMPDIR or /tmp).", valueName: "dir"))
    var work: String?

    @Flag(help: "Keep the stores in --work for the next time.")
    var keep = false

    @Option(
        help: ArgumentHelp("Also write everything, single runs included, to this file.", valueName: "file"))
    var json: String?

    private static let measurements: [Measurement] =
        Measurement.half + [
            .usualSchema, .onePercent, .nothingExpired, .staleFeeds, .inserts, .longReads, .growth,
            .reclaiming,
            .idleService, .archiving, .plan, .archivingBesideInserts,
        ] + Measurement.appReads + [.noOrder, .noBusyTimeout, .manyStores] + Measurement.articles
        + Measurement.onServer + Measurement.onMariaDB

    private var wanted: Set<String> {
        Set(rows?.split(separator: ",").map(String.init) ?? Self.measurements.flatMap(\.rows))
    }

    func validate() throws {
        let known = Self.measurements.flatMap(\.rows)
        if let unknown = wanted.first(where: { !known.contains($0) }) {
            throw ValidationError("There is no row \(unknown).")
        }
        guard runs ?? 1 > 0 else { throw ValidationError("--runs must be positive.") }
        guard Set(pruned).count == pruned.count else {
            throw ValidationError("--pruned names the same program twice.")
        }
    }

    func run() throws {
        let results = try measure()
        print(results.machine)
        print()
        print(Table(findings: results.findings), terminator: "")
        if !results.comparisons.isEmpty {
            print("\nEach figure is that of the build named last, then that of the first.\n")
            print(Table(findings: results.comparisons), terminator: "")
        }
        if let json { try results.write(to: json) }
        for wrong in results.wrongResults {
            FileHandle.standardError.write(Data("WRONG: \(wrong)\n".utf8))
        }
        if !results.wrongResults.isEmpty { throw ExitCode.failure }
    }

    /// A measurement that goes wrong does not keep the others from being made.
    private func measure() throws -> Results {
        let start = Date.now
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = URL(fileURLWithPath: executable).deletingLastPathComponent().path + "/pruned"
        let programs = pruned.isEmpty ? [beside] : pruned
        let directory = URL(
            fileURLWithPath: work ?? FileManager.default.temporaryDirectory.path + "/prune-benchmark"
        ).path
        let masters = try MasterStores(in: directory, builder: executable)
        let machine = try Machine(workDirectory: directory, programs: programs)
        let rounds = runs ?? (quick ? 1 : 5)
        let race = Race(
            programs: programs, masters: masters, executable: executable, rounds: rounds, checksAll: quick,
            hasPeers: !withoutPeers)
        let sizes = quick ? Sizes.quick : Sizes()
        let wanted = self.wanted
        var findings: [Finding] = []
        var wrong: [String] = []
        for part in Self.measurements where !wanted.isDisjoint(with: part.rows) {
            do {
                findings += try part.measure(race, sizes).filter { wanted.contains($0.row) }
            } catch {
                wrong.append("row \(part.rows.joined(separator: ", ")): \(error)")
                masters.progress.say("WRONG: \(error)")
            }
        }
        if keep { try masters.removeCopy() } else { try masters.remove() }
        findings.sort { $0.row.compare($1.row, options: .numeric) == .orderedAscending }
        if withoutPeers { findings.removeAll { $0.value.isNaN } }
        var comparisons = Finding.comparisons(race.results.series)
        if quick {
            findings = findings.map(\.ofSmallStore)
            comparisons = comparisons.map(\.ofSmallStore)
            wrong += findings.filter { $0.verdict == .missed }.map { "row \($0.row): \($0.what)" }
        }
        return Results(
            machine: machine, startedAt: start.ISO8601Format(), rounds: rounds, isQuick: quick,
            findings: findings, comparisons: comparisons, series: race.results.series, wrongResults: wrong)
    }
}

/// All that was found, with every single run: what `--json` writes.
private struct Results: Codable {
    let machine: Machine
    let startedAt: String
    let rounds: Int
    /// Whether small stores were used, to see that all of it works.
    let isQuick: Bool
    let findings: [Finding]
    let comparisons: [Finding]
    let series: [Series]
    /// What went wrong; the figures mean nothing unless it is empty.
    let wrongResults: [String]

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(self).write(to: URL(fileURLWithPath: path))
    }
}
