import ArgumentParser
import Pruning

/// `pruned confirm RULE`: lets the service, or the next run, delete what a guard held.
struct ConfirmCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm",
        abstract: "Confirm a held rule: let the service delete its rows, this once.",
        discussion: """
            The service looks for it within ten minutes; while none runs, the next run does. What that would delete \
            must be what was held: the same rule, a cutoff on the same day, and as many rows, give or take a tenth. \
            Else it is held again.
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
