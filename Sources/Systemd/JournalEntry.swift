import Logging

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
