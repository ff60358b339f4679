import FoundationEssentials
import Pruning
import Retention
import SQLite

/// What stands in the ledger, within one transaction. Each part of it is an extension.
package struct LedgerTables {
    let db: Database

    /// What was read could not have been written here.
    struct Unreadable: Error {
        let cause: String
    }

    /// Reads what a run and its guards go by, as they do: an index may be damaged where its table is not.
    package func checkAll() throws {
        _ = try (lastRuns(), holds(), lastBelieved(), lastAttempts())
    }
}

/// Values as the tables have them.
extension LedgerTables {
    static func value(_ date: Date?) -> DatabaseValue { date.map { .int64(microseconds(of: $0)) } ?? .null }

    static func value(_ text: String?) -> DatabaseValue { text.map { .text($0) } ?? .null }

    static func value(_ number: Int64?) -> DatabaseValue { number.map { .int64($0) } ?? .null }

    static func date(_ value: DatabaseValue) -> Date? {
        value == .null ? nil : date(microseconds: value.integer)
    }

    static func text(_ value: DatabaseValue) -> String? { value == .null ? nil : value.string }

    static func number(_ value: DatabaseValue) -> Int64? { value == .null ? nil : value.integer }

    /// As far as a calendar goes, in seconds.
    private static let longest = 253_402_300_799.0

    private static func bounded(_ seconds: Double) -> Double { min(max(seconds, -longest), longest) }

    /// Rounded down.
    static func microseconds(of date: Date) -> Int64 {
        Int64((bounded(date.timeIntervalSince1970) * 1_000_000).rounded(.down))
    }

    static func date(microseconds: Int64) -> Date {
        Date(timeIntervalSince1970: bounded(Double(microseconds) / 1_000_000))
    }

    static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(microseconds(of: date))
        }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func decoded<Value: Decodable>(_ json: String) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            date(microseconds: try decoder.singleValueContainer().decode(Int64.self))
        }
        do {
            return try decoder.decode(Value.self, from: Data(json.utf8))
        } catch {
            throw Unreadable(cause: "what it says cannot be understood")
        }
    }
}

/// What is known of the clock.
extension LedgerTables {
    func lastBelieved() throws -> ClockReading? {
        try db.row("SELECT time, since_boot, boot_id FROM clock").map { row in
            ClockReading(
                date: Self.date(microseconds: row[0].integer), sinceBoot: .microseconds(row[1].integer),
                bootID: Self.text(row[2]))
        }
    }

    /// Remembers the last reading that was believed.
    package func recordClock(_ reading: ClockReading) throws {
        try db.execute(
            "REPLACE INTO clock VALUES (1, :time, :since, :boot)",
            [
                "time": Self.value(reading.date),
                "since": .int64(Int64(reading.sinceBoot / .microseconds(1))),
                "boot": Self.value(reading.bootID),
            ])
    }

    /// The names of the rules whose last attempt failed.
    func failedRules() throws -> Set<String> {
        let rows = try db.rows(
            """
            SELECT rule FROM run_rule AS own
            WHERE (rule, entry) IN (SELECT rule, max(entry) FROM run_rule GROUP BY rule) AND outcome = 'failed'
                AND NOT EXISTS (SELECT 1 FROM history
                    WHERE kind = 'begun' AND history.rule = own.rule AND history.id > own.entry)
            """)
        return Set(rows.map(\.[0].string))
    }
}

/// What the service says of itself.
extension LedgerTables {
    /// To whoever asks while it runs, and to its next start; nil when none has said anything.
    package func serviceRecord() throws -> ServiceRecord? { try document(.service) }

    /// Takes the place of what was said before.
    package func setServiceRecord(_ record: ServiceRecord) throws { try setDocument(.service, record) }

    /// What it answered when it was last told to read its configuration again.
    package func reloadAnswer() throws -> ReloadAnswer? { try document(.reload) }

    /// Nil takes the last answer away: its clock may be that of an earlier boot, and later than any time of this one.
    package func setReloadAnswer(_ answer: ReloadAnswer?) throws { try setDocument(.reload, answer) }

}

/// What a run leaves.
extension LedgerTables {
    /// Takes in what became of `rules`, on the stores at `places`, in a run that has ended: which need not run again for a
    /// while, and which are held; and by which clock. `announced`: when holds were last said.
    package func remember(
        _ report: PruneReport, of rules: [RetentionRule], on places: [Name: String],
        announced: [Name: Date] = [:], by clock: ClockGuard
    ) throws {
        if let reading = clock.newReading(after: try lastBelieved()) { try recordClock(reading) }
        try recordRuns(
            of: report.done(of: rules), at: report.startedAt, on: places, reports: report.rules)
        try recordHolds(report.rules, at: report.startedAt, announced: announced)
    }
}

/// Values that are read and replaced as a whole.
extension LedgerTables {
    enum DocumentName: String {
        case metrics, service, reload
    }

    func document<Value: Decodable>(_ name: DocumentName) throws -> Value? {
        let row = try db.row(
            "SELECT content FROM document WHERE name = :name", ["name": .text(name.rawValue)])
        return try row.map { try Self.decoded($0[0].string) }
    }

    /// Nil: there is none from now on.
    func setDocument(_ name: DocumentName, _ value: (some Encodable)?) throws {
        guard let value else {
            return try db.execute(
                "DELETE FROM document WHERE name = :name", ["name": .text(name.rawValue)])
        }
        try db.execute(
            "INSERT INTO document VALUES (:name, :content) ON CONFLICT (name) DO UPDATE SET content = excluded.content",
            ["name": .text(name.rawValue), "content": .text(try Self.json(value))])
    }
}
