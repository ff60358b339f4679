import ArgumentParser
import Pruning

/// `pruned confirm RULE`: lets the running service delete what a guard held.
struct ConfirmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Let the running service delete what it holds of a rule, this once.",
        discussion: """
            The service looks for it within ten minutes. What it then would delete must be what it held: the same rule, \
            a cutoff on the same day, and as many rows, give or take a tenth. Else it is held again.
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Argument(help: "The rule.", completion: .heldRule)
    var rule: String

    func validate() throws {
        try program.refuseRunOptions(of: "confirm")
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            try SystemState.remark(to: common, command: "confirm \(rule)")
            return try Confirm(setup: Setup(common)).execute(rule)
        }
    }
}
