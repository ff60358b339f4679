import Ledger
import Pruning

/// The refused configurations of processes that end by that.
enum Refusals {
    /// Runs `body`. What does not get far enough to have a history of its own is kept in it all the same, and told in the
    /// metrics, unless the process was to write nothing.
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
            // Where there is no state directory yet, there is nothing that it could have put at risk.
            let ledger = Ledger(stateDirectory: directory)
            // A service that runs says itself by which configuration it works.
            let isServed = ServicePresence.isSeen(stateDirectory: directory) == true
            try? ledger.write("record the history") { tables in
                try tables.append([failure.refusal(by: initiator)])
                if !isServed { try tables.tellRefusal(stateDirectory: directory) }
            }
            throw failure
        }
    }
}
