import DefaultStore
import FoundationEssentials
import Glibc
import Logging
import PolicyFile
import Pruning
import Systemd
import TerminalText

/// Why the program ends without doing what it was asked to do: messages for a person, and the exit status.
struct Failure: Error {
    let status: ExitStatus
    /// Each message says what is wrong and where, on one line, and what to do about it.
    let messages: [(what: String, hint: String?)]

    init(_ status: ExitStatus, _ what: String, hint: String? = nil) {
        self.status = status
        messages = [(what, hint)]
    }

    init(_ status: ExitStatus, messages: [(what: String, hint: String?)]) {
        self.status = status
        self.messages = messages
    }

    /// Without memory for the configuration a service may be started again.
    init(_ error: PolicyFileError) {
        self.init(error.isOutOfMemory ? .inputOutput : .configuration, error.description, hint: error.hint)
    }

    init(_ error: ReaderStoreError) {
        self.init(
            ExitStatus(error.kind), "cannot \(error.operation) \(error.path): \(error.cause)",
            hint: error.hint)
    }

    init(_ error: StoreError) {
        self.init(ExitStatus(error.kind), error.reason, hint: error.hint)
    }

    /// What a worker process tells of it.
    var refusal: WorkerRefusal {
        WorkerRefusal(
            status: status.rawValue, what: messages.map(\.what).joined(separator: "; "),
            hint: messages.first?.hint)
    }

    /// What a worker process told. Its texts may be those of whoever owns the store.
    init(_ refusal: WorkerRefusal) {
        let cleaned = StoreError(
            .other, operation: "", place: "", cause: refusal.what, hint: refusal.hint
        ).cleaned
        self.init(ExitStatus(rawValue: refusal.status) ?? .failed, cleaned.cause, hint: cleaned.hint)
    }

    /// The history entry for a refused configuration.
    func refusal(by initiator: Initiator) -> HistoryEntry {
        .refused(
            messages.map(\.what).joined(separator: "; "), hint: messages.first?.hint, at: SystemTime.now,
            by: initiator)
    }

    /// Runs `body`, and ends the process with the status that it returns or throws.
    static func reported(_ body: () throws -> ExitStatus) throws -> Never {
        do {
            let status = try body()
            Glibc.exit(status.rawValue)
        } catch let failure as Failure {
            failure.report()
            Glibc.exit(failure.status.rawValue)
        }
    }

    /// Writes the messages to standard error, or to the journal if standard error is connected to it.
    func report() {
        let destination = LogDestination(environment: ProcessInfo.processInfo.environment)
        guard destination == .plainText else { return log(to: Logger(destination)) }
        let width = StandardStream.error.width
        for (what, hint) in messages {
            let lines = [("pruned: ", what)] + (hint.map { [("        ", $0)] } ?? [])
            for (label, text) in lines {
                StandardStream.error.writeIfPossible(text.onOneLine.labelled(label, width: width) + "\n")
            }
        }
    }

    private func log(to logger: Logger) {
        logger.log(self, level: .error, status == .configuration ? .refused : .unusable)
    }
}

extension Logger {
    /// Logs what a failure says, each message with its hint and after `beginning`.
    func log(
        _ failure: Failure, level: Logger.Level, _ event: JournalEvent? = nil, after beginning: String = ""
    ) {
        for (what, hint) in failure.messages {
            var metadata = event?.metadata ?? [:]
            metadata["hint"] = hint.map { "\($0)" }
            log(level: level, "\(beginning)\(what)", metadata: metadata)
        }
    }
}

extension StandardStream {
    /// Writes all of `text`; see ``writeIfPossible(_:)``.
    func write(_ text: String) throws(Failure) {
        guard let code = writeIfPossible(text) else { return }
        throw Failure(
            .inputOutput, "cannot write standard output: \(String(cString: strerror(code)))",
            hint: "check where it leads, and the free space there")
    }
}
