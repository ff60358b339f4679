import ArgumentParser
import Foundation

/// Runs the cases and shows what they found.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measure, print the table, exit with 1 if a run did the wrong thing.",
        discussion: "A missed target is shown and does not change the exit status.")

    @Option(help: ArgumentHelp("Only these rows of the targets: 1,2b,6.", valueName: "list"))
    var rows: CommaSeparated<String>?

    @Option(help: ArgumentHelp("How often each program runs (default 5, with --quick 1).", valueName: "n"))
    var runs: Int?

    @Flag(help: "Small stores and no judgement of times: does everything still work?")
    var quick = false

    @Option(help: ArgumentHelp("Other numbers of read records: 100000,1000000.", valueName: "list"))
    var sizes: CommaSeparated<Int>?

    @Option(
        help: ArgumentHelp("The program to measure (default: the one beside this one).", valueName: "path"))
    var pruned: String?

    @Option(
        help: ArgumentHelp("Where the stores are made (default: below $TMPDIR or /tmp).", valueName: "dir"))
    var work: String?

    @Flag(help: "Keep the stores in --work for the next time.")
    var keep = false

    @Option(
        help: ArgumentHelp("Also write everything, single runs included, to this file.", valueName: "file"))
    var json: String?

    private static var knownRows: [String] { allCases.flatMap(\.rows) }

    func validate() throws {
        if let unknown = rows?.values.first(where: { !Self.knownRows.contains($0) }) {
            throw ValidationError("There is no row \(unknown).")
        }
        guard runs ?? 1 > 0 else { throw ValidationError("--runs must be positive.") }
        let records = sizes?.values ?? [10]
        guard !records.isEmpty, records.allSatisfy({ $0 >= 10 }), records == Set(records).sorted() else {
            throw ValidationError("--sizes are numbers from 10 on, in ascending order.")
        }
    }

    func run() throws {
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let beside = URL(fileURLWithPath: executable).deletingLastPathComponent().path
        let directory = work ?? FileManager.default.temporaryDirectory.path + "/prune-benchmark"
        let benchmark = try Benchmark(
            rows: Set(rows?.values ?? Self.knownRows), rounds: runs ?? (quick ? 1 : 5), isQuick: quick,
            sizes: (quick ? Sizes.quick : .full).with(records: sizes?.values ?? []),
            pruned: pruned ?? beside + "/pruned", executable: executable,
            directory: URL(fileURLWithPath: directory).path)
        let results = try benchmark.run(keepingStores: keep)
        print(results.machine)
        print()
        print(Table(findings: results.findings), terminator: "")
        if let json { try write(results, to: json) }
        for wrong in results.wrongResults {
            FileHandle.standardError.write(Data("WRONG: \(wrong)\n".utf8))
        }
        if !results.wrongResults.isEmpty { throw ExitCode.failure }
    }

    private func write(_ results: Results, to path: String) throws {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try encoder.encode(results).write(to: URL(fileURLWithPath: path))
    }
}
