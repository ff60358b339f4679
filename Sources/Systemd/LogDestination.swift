import Glibc
import Logging

/// Where a program's messages go, and in which form.
package enum LogDestination: Hashable, Sendable {
    /// The systemd journal, with fields.
    case journal

    /// Standard error under a service manager: text with syslog priorities.
    case prefixedText

    /// Standard error for a person or a pipe: plain text.
    case plainText

    /// Decides for a process with this environment and this standard error (nil if that is closed).
    ///
    /// A process that a service started inherits the variables but may write elsewhere. So the journal is chosen only
    /// if standard error is the stream that `$JOURNAL_STREAM` names, and priorities are written only if no person reads
    /// standard error.
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

/// The properties of an open file that matter for logging to it.
package struct StreamIdentity: Hashable, Sendable {
    /// `st_dev` of the file.
    package var device: UInt64
    /// `st_ino` of the file.
    package var inode: UInt64
    /// Whether it is a terminal, which a person reads.
    package var isTerminal: Bool

    /// An identity with these values.
    package init(device: UInt64, inode: UInt64, isTerminal: Bool) {
        self.device = device
        self.inode = inode
        self.isTerminal = isTerminal
    }

    /// The identity of an open file; nil if the descriptor is closed.
    package init?(fileDescriptor: Int32) {
        var status = stat()
        guard fstat(fileDescriptor, &status) == 0 else { return nil }
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            isTerminal: isatty(fileDescriptor) == 1)
    }
}
