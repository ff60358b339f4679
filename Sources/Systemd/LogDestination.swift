import Glibc
import Logging

/// Where, and in which form, a program's messages are read.
package enum LogDestination: Hashable, Sendable {
    /// The systemd journal, with fields.
    case journal

    /// Standard error under a service manager: text with syslog priorities.
    case prefixedText

    /// Standard error for a person or a pipe: plain text.
    case plainText

    /// Decides for a process with this environment and standard error (nil when that is closed).
    ///
    /// A process that a service started inherits the variables but may write elsewhere: the journal is chosen
    /// only when standard error *is* the stream that `$JOURNAL_STREAM` names, and priorities are written only
    /// where no person reads them.
    package init(environment: [String: String], standardError: StreamIdentity?) {
        guard let standardError, !standardError.isTerminal else {
            self = .plainText
            return
        }
        let hasManager = ["INVOCATION_ID", "JOURNAL_STREAM", "NOTIFY_SOCKET"]
            .contains { environment[$0] != nil }
        let isJournal = environment["JOURNAL_STREAM"] == "\(standardError.device):\(standardError.inode)"
        self = isJournal ? .journal : hasManager ? .prefixedText : .plainText
    }

    /// Decides for this process's own standard error.
    package init(environment: [String: String]) {
        self.init(environment: environment, standardError: StreamIdentity(fileDescriptor: STDERR_FILENO))
    }

    /// The log handler for this destination. `identifier` is the program's name.
    package func makeLogHandler(identifier: String) -> any LogHandler {
        switch self {
        case .journal: JournalLogHandler(identifier: identifier)
        case .prefixedText: StandardErrorLogHandler(identifier: identifier, style: .prefixed)
        case .plainText: StandardErrorLogHandler(identifier: identifier, style: .plain)
        }
    }
}
