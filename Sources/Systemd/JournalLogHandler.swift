import CSystemd
import Logging

/// Logs to the systemd journal, with each metadata entry as a separate field.
///
/// A key such as `PRUNED_RULE` becomes the field of that name. Other keys are converted to field names: `run id`
/// becomes `RUN_ID`. Values may have any content. The message is written on one line.
package struct JournalLogHandler: LogHandler {
    /// The lowest level that is logged; info unless set.
    package var logLevel: Logger.Level = .info

    /// The metadata of every entry. If a message has an entry with the same key, that one is used.
    package var metadata: Logger.Metadata = [:]

    private let identifier: String

    /// A handler whose entries have `identifier` as their `SYSLOG_IDENTIFIER`, which `journalctl -t` searches for.
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

    /// Sends one entry. Ignores failures, because there is no better place to report them.
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

/// A log event in the journal's native format: fields of the form `NAME=value`.
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

    /// The field for metadata of this key: the key itself if that is a valid field name.
    ///
    /// journald silently drops a field with an invalid name. Other keys are therefore converted to capitals, with `_`
    /// for characters other than letters and digits. `X_` is put in front of a name that would begin with an invalid
    /// character or would be one of the entry's own fields.
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
