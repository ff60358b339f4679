import Logging
import TerminalText

extension Logger.Level {
    /// The level as syslog and the journal number it, 7 (debug) to 2 (critical).
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
    /// The message and, when there is one, the error that it is about, on one line.
    var text: String {
        (error.map { "\(message): \($0)" } ?? "\(message)").onOneLine
    }

    /// What to do about it, on one line; nil when that is not said.
    var hint: String? { metadata?[Self.hintKey].map { "\($0)".onOneLine } }

    /// The same with what to do about it, still on one line.
    var textWithHint: String { hint.map { "\(text); \($0)" } ?? text }

    /// The entry of the metadata that is part of the message.
    static let hintKey = "hint"
}
