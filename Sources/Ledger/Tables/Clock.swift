import FoundationEssentials
import Pruning
import SQLite

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
