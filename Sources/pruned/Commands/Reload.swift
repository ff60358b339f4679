import ArgumentParser
import FoundationEssentials
import Glibc
import Ledger
import Pruning

/// `pruned reload`: called only by the unit's `ExecReload=`.
struct ReloadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Tell the service to read its configuration again, and print its answer.",
        shouldDisplay: false)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    func validate() throws {
        try program.refuseRunOptions(of: "reload")
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            let directory = try Setup.stateDirectory(common)
            guard let process = ProcessInfo.processInfo.environment["MAINPID"].flatMap(pid_t.init),
                process > 1
            else {
                let service = ServiceControl(stateDirectory: directory)
                throw Failure(
                    .usage, "$MAINPID does not name the process of the service",
                    hint: "`\(service.command("reload"))` says it")
            }
            try Privileges.assumeOwner(of: directory)
            return try Reload(process: process, stateDirectory: directory).execute()
        }
    }
}

/// Tells a service to read its configuration again, and waits for its answer.
struct Reload {
    /// The service's process.
    let process: pid_t
    let stateDirectory: String

    /// How long to wait. The service reads a few files and opens the stores.
    private static let patience: Duration = .seconds(30)

    func execute() throws(Failure) -> ExitStatus {
        let ledger = Ledger(stateDirectory: stateDirectory)
        try? ledger.write("ask for a reload") { try $0.setReloadAnswer(nil) }
        let told = SystemTime.monotonic()
        guard kill(process, SIGHUP) == 0 else {
            throw Failure(
                .inputOutput, "cannot send SIGHUP to process \(process): \(String(cString: strerror(errno)))",
                hint: "$MAINPID must be the service, and this must run as its user")
        }
        let answer = try answer(toldAt: told, in: ledger)
        guard answer.status == 0 else {
            throw Failure(
                ExitStatus(rawValue: answer.status) ?? .configuration,
                messages: answer.reasons.map { ("reload refused: \($0.what)", $0.hint) })
        }
        return .done
    }

    private func answer(toldAt told: Duration, in ledger: Ledger) throws(Failure) -> ReloadAnswer {
        while SystemTime.monotonic() - told < Self.patience {
            // Checked before the answer is read: an answer stays readable after the process has ended.
            let isRunning = kill(process, 0) == 0 || errno == EPERM
            let answer = ledger.readIfPossible(or: nil) { try $0.reloadAnswer() }
            if let answer, answer.answers(process, toldAt: told) { return answer }
            guard isRunning else {
                throw Failure(
                    .inputOutput, "process \(process) ended, and did not answer in \(stateDirectory)",
                    hint: "its messages say why it ended")
            }
            usleep(20_000)
        }
        throw Failure(
            .busy, "process \(process) has not answered in \(stateDirectory) for \(Self.patience)",
            hint:
                "it may have read the configuration anyway, see its messages; if ExecStart= of the unit has"
                + " --state-dir, ExecReload= needs the same")
    }
}
