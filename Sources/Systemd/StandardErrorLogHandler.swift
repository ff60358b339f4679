import Glibc
import Logging
import TerminalText

/// Logs to standard error: one line per message and, for people, a second line with the hint. A terminal gets more
/// lines where these are too long, so that it breaks no word.
///
/// It writes only the message, its error and the metadata entry `hint`. All other metadata is for the journal, so a
/// message must be complete without it.
package struct StandardErrorLogHandler: LogHandler {
    /// How a line begins.
    package enum Style: Hashable, Sendable {
        /// For people: `pruned: text`, and `pruned: warning: text` for warnings and errors.
        case plain

        /// For a service manager, which reads the syslog priority from the line: `<4>text`.
        case prefixed
    }

    /// The lowest level that is logged; info unless set.
    package var logLevel: Logger.Level = .info

    /// Required by swift-log, but not written.
    package var metadata: Logger.Metadata = [:]

    private let identifier: String
    private let style: Style
    private let fileDescriptor: Int32

    /// A handler that writes lines of this style; `identifier` is the program's name.
    package init(identifier: String, style: Style) {
        self.init(identifier: identifier, style: style, fileDescriptor: STDERR_FILENO)
    }

    init(identifier: String, style: Style, fileDescriptor: Int32) {
        self.identifier = identifier
        self.style = style
        self.fileDescriptor = fileDescriptor
    }

    /// One entry of ``metadata``.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes the event's line.
    package func log(event: LogEvent) {
        write(line(for: event) + "\n")
    }

    private func line(for event: LogEvent) -> String {
        switch style {
        case .prefixed: "<\(event.level.syslogPriority)>\(event.textWithHint)"
        case .plain:
            lines(
                (event.level >= .warning ? "\(event.level): " : "") + event.text, hint: event.hint,
                width: TerminalWidth.columns(of: fileDescriptor))
        }
    }

    /// The text and the hint, each on a line of its own, or on more lines of a terminal.
    private func lines(_ text: String, hint: String?, width: Int?) -> String {
        let label = "\(identifier): "
        let margin = String(repeating: " ", count: label.utf8.count)
        return text.labelled(label, width: width)
            + (hint.map { "\n" + $0.labelled(margin, width: width) } ?? "")
    }

    /// Writes the line with a single `write`, so that lines of several threads and processes do not mix. If a signal or
    /// a full pipe cuts it off, the rest follows.
    private func write(_ line: String) {
        var rest = Array(line.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(fileDescriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            // Nobody reads standard error any more, so the failure cannot be reported.
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}
