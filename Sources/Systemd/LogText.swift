import Logging
import TerminalText

extension Logger.Level {
    /// The level's number in syslog and in the journal, from 7 (debug) to 2 (critical).
    var syslogPriority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

extension LogEvent {
    /// The message and, if there is one, its error, on one line.
    var text: String {
        (error.map { "\(message): \($0)" } ?? "\(message)").onOneLine
    }

    /// What to do about it, on one line; nil if the event has no hint.
    var hint: String? { metadata?[Self.hintKey].map { "\($0)".onOneLine } }

    /// The text and the hint, on one line.
    var textWithHint: String { hint.map { "\(text); \($0)" } ?? text }

    /// The key of the metadata entry that is part of the message.
    static let hintKey = "hint"
}
