import ArgumentParser

/// `pruned restore RUN-ID`: puts archived rows back.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Put back what a run deleted by rules with archive = true.",
        discussion: """
            A row that exists now is left as it is. What was put back stays for one keep of its rule, as if it were new.

            Examples:
              pruned history                                    names the runs, with --json
              pruned restore 20261121T084051Z-c62a --dry-run    look first
              pruned restore 20261121T084051Z-c62a --rule read-records
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Argument(help: "The run, as its report and the journal name it.", completion: .archivedRun)
    var runID: String

    @Option(
        name: .long, help: ArgumentHelp("Only what this rule deleted (repeatable).", valueName: "name"),
        completion: .rule)
    var rule: [String] = []

    @Flag(name: .long, help: "Only show what would be put back; write nothing.")
    var dryRun = false

    @Flag(name: .long, help: "Print the report as one JSON object.")
    var json = false

    func validate() throws {
        guard !program.runNow else { throw ValidationError("restore cannot be combined with --run-now.") }
        let others = program.runOptions
        guard others.confirm.isEmpty, !others.trustClock, others.accessPath == nil else {
            throw ValidationError("--confirm and --trust-clock need --run-now.")
        }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        // The parser gives options that the program has, too, to the program.
        let given = program.runOptions
        let request = Restore.Request(
            runID: runID, rules: rule + given.rule, dryRun: dryRun || given.dryRun, json: json || given.json)
        try Failure.reported { () throws(Failure) in
            try Restore(setup: Setup(common), request: request).execute()
        }
    }
}
