import ArgumentParser
import CCampaign
import Foundation

/// Attacks the built program part by part, and says how often and what it found.
@main
struct Campaign: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Campaign",
        abstract: "Tries what can go wrong, by the thousand, and looks at what is left.",
        discussion: """
            Every case follows from the seed and its number alone. A finding prints the command that repeats it alone.
            Without --hours each part goes on until it has reached its aim.
            Exit status: 0 nothing found, 1 something found, or a part that tried nothing.
            """)

    @Argument(help: "The parts: \(Parts.all.map { $0.name }.joined(separator: ", ")). Without any: all.")
    var parts: [String] = []

    @Option(help: ArgumentHelp("Hours for all parts together.", valueName: "n"))
    var hours: Double?

    @Flag(help: "A few seconds of each part, of fewer cases: does it still find nothing?")
    var slice = false

    @Option(help: ArgumentHelp("Where the random numbers start.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("Only the case of this number.", valueName: "n"))
    var only: Int?

    @Option(help: ArgumentHelp("End a part after so many findings.", valueName: "n"))
    var findings = 20

    @Option(
        help: ArgumentHelp("The program to attack (default: the one beside this one).", valueName: "path"))
    var pruned: String?

    @Option(
        help: ArgumentHelp("Where the stores are made (default: in memory, else $TMPDIR).", valueName: "dir"))
    var work: String?

    @Flag(help: "Leave the directory of the last case as it is.")
    var keep = false

    func validate() throws {
        for part in parts where !Parts.all.contains(where: { $0.name == part }) {
            throw ValidationError("There is no part \(part).")
        }
        guard hours ?? 1 > 0 else { throw ValidationError("--hours must be positive.") }
        guard only == nil || parts.count == 1 else { throw ValidationError("--only needs one part.") }
    }

    func run() throws {
        campaign_print_by_line()
        let chosen = Parts.all.filter {
            (parts.isEmpty || parts.contains($0.name)) && (!slice || $0.sliceSeconds != nil)
        }
        let end = hours.map { ContinuousClock.now + .seconds($0 * 3600) }
        var found: [String] = []
        for (number, part) in chosen.enumerated() {
            if let missing = part.missing {
                print("\(part.name): NOT TRIED, it needs \(missing)")
                continue
            }
            let setting = try Setting(pruned: pruned, seed: seed, isSlice: slice, work: work, keeps: keep)
            let result = try PartRun(
                part, in: setting, endsAfter: findings,
                until: limit(of: part, before: end, among: chosen.count - number)
            ).result()
            print(result.line)
            found += result.findings
            if result.points == 0, only == nil { found.append("FOUND \(part.name): it tried nothing") }
        }
        guard found.isEmpty else {
            // Many lines of other parts stand between a finding and the end, which is what a log shows.
            print(found.joined(separator: "\n"))
            throw ExitCode(1)
        }
    }

    /// What a part leaves of its time is for the parts after it.
    private func limit(of part: any Part.Type, before end: ContinuousClock.Instant?, among parts: Int)
        -> Limit
    {
        if let only { return .only(only) }
        if slice, end == nil, let seconds = part.sliceSeconds { return .seconds(seconds) }
        guard let end else { return .aim }
        return .seconds((end - .now) / .seconds(1) / Double(parts))
    }
}
