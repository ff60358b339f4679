import ArgumentParser

/// `pruned status`: how everything stands.
struct StatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the last and next run of each rule, holds, stores and deleted rows; changes nothing.",
        discussion: """
            Times are in the policy's time zone. It works whether or not the service runs, and shows what it can while the \
            configuration is refused or a store cannot be read. The exit status is that of the worst it shows: \
            configuration refused or a rule unfit 78; a store damaged 65, or not to be read 74; a rule failed 1, skipped, \
            stopped or interrupted 75, held 3; else 0.
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Flag(name: .long, help: "Print the status as one JSON object.")
    var json = false

    func validate() throws {
        try program.refuseRunOptions(of: "status", butSelection: true)
        guard program.runOptions.rule.isEmpty else {
            throw ValidationError("status cannot be combined with --rule: it shows all rules.")
        }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            try Status(common: common, json: json || program.runOptions.json).execute()
        }
    }
}
