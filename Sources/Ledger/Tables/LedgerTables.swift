import FoundationEssentials
import Pruning
import Retention
import SQLite

/// The contents of the ledger, within one transaction. Each part is an extension.
package struct LedgerTables {
    let db: Database
    /// Older only while nothing was written to a ledger of an older version.
    var layout = LedgerSchema.Layout.current

    /// The ledger cannot have written the value that was read.
    struct Unreadable: Error {
        let cause: String
    }

    /// Reads all that a run and its guards rely on, with the same queries: an index may be damaged while its table is
    /// not.
    package func checkAll() throws {
        _ = try (lastRuns(), holds(), lastBelieved(), lastAttempts())
    }
}

/// Values in the tables.
extension LedgerTables {
    static func value(_ date: Date?) -> DatabaseValue { date.map { .int64(microseconds(of: $0)) } ?? .null }

    static func value(_ text: String?) -> DatabaseValue { text.map { .text($0) } ?? .null }

    static func value(_ number: Int64?) -> DatabaseValue { number.map { .int64($0) } ?? .null }

    static func date(_ value: DatabaseValue) -> Date? {
        value == .null ? nil : date(microseconds: value.integer)
    }

    static func text(_ value: DatabaseValue) -> String? { value == .null ? nil : value.string }

    static func number(_ value: DatabaseValue) -> Int64? { value == .null ? nil : value.integer }

    /// The end of the year 9999, in seconds.
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

/// The clock.
extension LedgerTables {
    func lastBelieved() throws -> ClockReading? {
        try db.row("SELECT time, since_boot, boot_id FROM clock").map { row in
            ClockReading(
                date: Self.date(microseconds: row[0].integer), sinceBoot: .microseconds(row[1].integer),
                bootID: Self.text(row[2]))
        }
    }

    /// Records the last reading that was believed.
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

/// The service's records of itself.
extension LedgerTables {
    /// For commands while the service runs, and for its next start; nil if no service has written one.
    package func serviceRecord() throws -> ServiceRecord? { try document(.service) }

    /// Replaces the previous record.
    package func setServiceRecord(_ record: ServiceRecord) throws { try setDocument(.service, record) }

    /// The service's answer to the last reload of its configuration.
    package func reloadAnswer() throws -> ReloadAnswer? { try document(.reload) }

    /// Nil removes the last answer. Its time may be from the clock of an earlier boot, and later than any time of this
    /// one.
    package func setReloadAnswer(_ answer: ReloadAnswer?) throws { try setDocument(.reload, answer) }
}

/// What runs in progress record of themselves.
extension LedgerTables {
    /// How far they are, by rule. What a killed run recorded stays. What cannot be understood counts as nothing: nobody
    /// decides by it.
    package func progress() -> [String: RunProgress] {
        let found: [String: RunProgress]? = try? document(.progress)
        return found ?? [:]
    }

    /// Nil at the end of the rule's run.
    package func setProgress(_ progress: RunProgress?, of rule: Name) throws {
        var all = self.progress()
        all[rule.description] = progress
        try setDocument(.progress, all.isEmpty ? nil : all)
    }
}

/// The records of a run.
extension LedgerTables {
    /// Records the results of `rules`, on the stores at `places`, after a run: the rules that are done, the rules that
    /// are held, and the reading of `clock`. `announced` is when holds were last announced.
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
        case metrics, service, reload, progress
    }

    func document<Value: Decodable>(_ name: DocumentName) throws -> Value? {
        let row = try db.row(
            "SELECT content FROM document WHERE name = :name", ["name": .text(name.rawValue)])
        return try row.map { try Self.decoded($0[0].string) }
    }

    /// Nil removes the document.
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
