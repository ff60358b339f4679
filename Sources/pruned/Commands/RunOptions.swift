import ArgumentParser
import Pruning

/// The options of `--run-now`.
struct RunOptions: ParsableArguments {
    @Option(
        name: .long, help: ArgumentHelp("Only this rule (repeatable).", valueName: "name"), completion: .rule)
    var rule: [String] = []

    @Flag(name: .long, help: "Only count; delete and write nothing.")
    var dryRun = false

    @Flag(name: .long, help: "Print the report as one JSON object.")
    var json = false

    @Option(
        name: .long,
        help: ArgumentHelp("Let this rule through its hold, this once (repeatable).", valueName: "name"),
        completion: .heldRule)
    var confirm: [String] = []

    @Flag(
        name: .long,
        help: "Believe the system's clock, whatever the evidence against it.")
    var trustClock = false

    /// For tests and measurements. In operation, a run chooses by the share of expired rows.
    @Option(name: .long, help: ArgumentHelp("How to find the rows: walk or index.", visibility: .hidden))
    var accessPath: AccessPath?

    /// The options that were given, as typed. The parser assigns `--rule` and `--json` to the program even after a
    /// command that has options of the same names.
    var given: [String] {
        [
            ("--rule", !rule.isEmpty), ("--dry-run", dryRun), ("--json", json),
            ("--confirm", !confirm.isEmpty),
            ("--trust-clock", trustClock), ("--access-path", accessPath != nil),
        ].filter(\.1).map(\.0)
    }
}

extension AccessPath: ExpressibleByArgument {}
