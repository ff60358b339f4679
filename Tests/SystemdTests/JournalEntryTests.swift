import Logging
import Testing

@testable import Systemd

struct JournalEntryTests {
    @Test(
        "each level has its syslog priority",
        arguments: zip(Logger.Level.allCases, ["7", "7", "6", "5", "4", "3", "2"]))
    func priority(of level: Logger.Level, is expected: String) {
        #expect(fields(level: level).contains("PRIORITY=\(expected)"))
    }

    @Test("an entry carries message, priority, identifier, then its metadata by name")
    func fieldsOfAnEntry() {
        let fields = fields(
            "deleted 3 rows", level: .notice, metadata: ["PRUNED_RULE": "timeline", "MESSAGE_ID": "0a"])
        #expect(
            fields == [
                "MESSAGE=deleted 3 rows", "PRIORITY=5", "SYSLOG_IDENTIFIER=pruned", "MESSAGE_ID=0a",
                "PRUNED_RULE=timeline",
            ])
    }

    @Test("a message stays on one line, a value keeps its lines")
    func multipleLines() {
        let fields = fields("one\ntwo\u{1B}", metadata: ["PRUNED_REASON": "one\ntwo\0three"])
        #expect(fields.first == #"MESSAGE=one\ntwo\u{1B}"#)
        #expect(fields.last == "PRUNED_REASON=one\ntwo\0three")
    }

    @Test("what to do stands behind the message, and is no field")
    func hint() {
        let fields = fields("one", metadata: ["hint": "do that"])
        #expect(fields == ["MESSAGE=one; do that", "PRIORITY=6", "SYSLOG_IDENTIFIER=pruned"])
    }

    @Test("an error stands behind the message")
    func errorIsPartOfTheMessage() {
        struct Damaged: Error, CustomStringConvertible { let description = "page 7\nis damaged" }
        #expect(fields("cannot read", error: Damaged()).first == #"MESSAGE=cannot read: page 7\nis damaged"#)
    }

    @Test(
        "a key becomes a field name that journald does not drop",
        arguments: [
            ("PRUNED_RUN_ID", "PRUNED_RUN_ID"),
            ("A1_", "A1_"),
            ("run id", "RUN_ID"),
            ("error.message", "ERROR_MESSAGE"),
            ("_PID", "PID"),
            ("1st", "X_1ST"),
            ("größe", "GR_SSE"),
            ("a\nMESSAGE=b", "A_MESSAGE_B"),
            ("message", "X_MESSAGE"),
            ("__PRIORITY", "X_PRIORITY"),
            ("SYSLOG_IDENTIFIER", "X_SYSLOG_IDENTIFIER"),
            ("日", "X_"),
            ("", "X_"),
            (String(repeating: "A", count: 65), String(repeating: "A", count: 64)),
            (String(repeating: "1", count: 65), "X_" + String(repeating: "1", count: 62)),
        ])
    func fieldName(for key: String, is expected: String) {
        #expect(JournalEntry.fieldName(for: key) == expected)
    }

    private func fields(
        _ message: Logger.Message = "message", level: Logger.Level = .info, error: (any Error)? = nil,
        metadata: Logger.Metadata = [:]
    ) -> [String] {
        let event = LogEvent(
            level: level, message: message, error: error, metadata: metadata, source: nil, file: "",
            function: "",
            line: 0)
        return JournalEntry(event, identifier: "pruned").fields
    }
}
