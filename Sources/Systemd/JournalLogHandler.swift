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
