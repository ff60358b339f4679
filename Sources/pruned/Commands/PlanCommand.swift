import ArgumentParser

/// `pruned plan`: what the next run would delete, keep and hold, and why.
struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show what a run would delete now, keep and hold, and why; changes nothing.",
        discussion: """
            The exit status is the one that the run would have. With --json it prints what --run-now --dry-run --json \
            does.
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Option(
        name: .long, help: ArgumentHelp("Only this rule (repeatable).", valueName: "name"), completion: .rule)
    var rule: [String] = []

    @Flag(name: .long, help: "Print the plan as one JSON object.")
    var json = false

    func validate() throws {
        try program.refuseRunOptions(of: "plan", butSelection: true)
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            try Plan(
                setup: Setup(common), rules: rule + program.runOptions.rule,
                json: json || program.runOptions.json, color: common.color
            ).execute()
        }
    }
}
