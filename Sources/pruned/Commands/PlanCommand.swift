import ArgumentParser

/// `pruned plan`: what the next run would delete, keep and hold, and why.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what a run would delete, leave and hold now, and why; changes nothing.",
        discussion: """
            The exit status is the one that the run would have. With --json it prints what --run-now --dry-run --json \
            does.

            Examples:
              pruned plan
              pruned plan --rule read-records
              pruned plan --problems
              pruned plan --store reader --json | jq '.rules[] | {rule, outcome, expired}'
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Option(
        name: .long, help: ArgumentHelp("Only this rule (repeatable).", valueName: "name"), completion: .rule)
    var rule: [String] = []

    @OptionGroup var selection: SelectionOptions

    @Flag(name: .long, help: "Print the plan as one JSON object.")
    var json = false

    func validate() throws {
        try program.refuseRunOptions(of: "plan", butSelection: true)
        guard !selection.problems || !isJSON else {
            throw ValidationError(
                "--problems cannot be combined with --json, which has an outcome for each rule.")
        }
    }

    private var isJSON: Bool { json || program.runOptions.json }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            try Plan(
                setup: Setup(common), rules: rule + program.runOptions.rule, selection: selection,
                json: isJSON, color: common.color
            ).execute()
        }
    }
}
