import Ledger
import Pruning

/// Records refused configurations of processes that end because of them.
enum Refusals {
    /// Runs `body`. If it fails because the configuration is refused, records that in the history and the metrics,
    /// unless the process must not write (`isDry`).
    static func kept(
        by kind: Initiator.Kind, _ common: CommonOptions, unless isDry: Bool = false,
        _ body: () throws -> ExitStatus
    ) throws -> ExitStatus {
        let initiator = Initiator(kind, user: Privileges.caller)
        do {
            return try body()
        } catch let failure as Failure where failure.status == .configuration && !isDry {
            let directory = try Setup.stateDirectory(common)
            try Privileges.assumeOwner(of: directory)
            // Without a state directory nothing is recorded: nothing has run yet.
            let ledger = Ledger(stateDirectory: directory)
            // A running service reports itself which configuration is in force.
            let isServed = ServicePresence.isSeen(stateDirectory: directory) == true
            try? ledger.write("record the history") { tables in
                try tables.append([failure.refusal(by: initiator)])
                if !isServed { try tables.tellRefusal(stateDirectory: directory) }
            }
            throw failure
        }
    }
}
