import CSystemd
import Logging

/// Logs to the systemd journal, every metadata entry as a field of its own.
///
/// A key such as `PRUNED_RULE` becomes the field of that name; other keys are made into field names (`run id`
/// is found as `RUN_ID`). Values may have any content. The message is kept on one line.
package struct JournalLogHandler: LogHandler {
    /// The lowest level that is logged; info unless set.
    package var logLevel: Logger.Level = .info

    /// What every entry carries, unless a message brings an entry of the same key.
    package var metadata: Logger.Metadata = [:]

    private let identifier: String

    /// A handler whose entries carry `identifier` as `SYSLOG_IDENTIFIER`, which `journalctl -t` looks for.
    package init(identifier: String) {
        self.identifier = identifier
    }

    /// One entry of ``metadata``.
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Sends the event as one journal entry.
    package func log(event: LogEvent) {
        var event = event
        event.metadata = metadata.merging(event.metadata ?? [:]) { _, explicit in explicit }
        Self.send(JournalEntry(event, identifier: identifier).fields)
    }

    /// Sends one entry. When the journal does not take it, there is no better place to say so.
    private static func send(_ fields: [String]) {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        for field in fields {
            let start = bytes.count
            bytes += field.utf8
            ranges.append(start..<bytes.count)
        }
        bytes.withUnsafeMutableBytes { buffer in
            let vectors = ranges.map {
                iovec(iov_base: buffer.baseAddress?.advanced(by: $0.lowerBound), iov_len: $0.count)
            }
            _ = sd_journal_sendv(vectors, Int32(vectors.count))
        }
    }
}

/// A log event in the form the journal takes it: native fields, each `NAME=value`.
struct JournalEntry {
    /// The fields: message, priority and identifier, then the event's metadata in the order of its keys.
    let fields: [String]

    init(_ event: LogEvent, identifier: String) {
        let metadata = (event.metadata ?? [:]).filter { $0.key != LogEvent.hintKey }.sorted {
            $0.key < $1.key
        }
        fields =
            [
                "MESSAGE=\(event.textWithHint)",
                "PRIORITY=\(event.level.syslogPriority)",
                "SYSLOG_IDENTIFIER=\(identifier)",
            ] + metadata.map { "\(Self.fieldName(for: $0.key))=\($0.value)" }
    }

    /// The field that carries the metadata of this key: the key itself where that is a field name already.
    ///
    /// journald drops a field whose name it does not like without a word, so every other key is made into a
    /// name that it takes: in capitals, `_` for what is not a letter or digit, and `X_` in front where the name
    /// would begin wrongly or pass for a field that the entry has of its own.
    static func fieldName(for key: String) -> String {
        let scalars = key.uppercased().unicodeScalars.map { allowed.contains($0) ? $0 : "_" }
        let name = String(String.UnicodeScalarView(scalars.drop { $0 == "_" }))
        let isFieldName = name.first?.isLetter == true && !ownFields.contains(name)
        return String((isFieldName ? name : "X_" + name).prefix(longestFieldName))
    }

    private static let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_".unicodeScalars)
    private static let ownFields: Set = ["MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER"]
    private static let longestFieldName = 64
}
