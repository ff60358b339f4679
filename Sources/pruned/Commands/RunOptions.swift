import ArgumentParser

/// The options of `--run-now`.
struct RunOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("Only this rule (repeatable).", valueName: "name"))
    var rule: [String] = []

    @Flag(name: .long, help: "Count; delete nothing, write nothing.")
    var dryRun = false

    @Flag(name: .long, help: "Print the report as one JSON object.")
    var json = false

    /// Whether none of them was given.
    var isEmpty: Bool { rule.isEmpty && !dryRun && !json }
}
