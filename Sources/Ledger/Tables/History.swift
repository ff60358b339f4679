import FoundationEssentials
import Pruning
import Retention
import SQLite

/// The history: what was done, held, confirmed and refused.
extension LedgerTables {
    /// The longest age, in days, and the largest number of entries. That is months of a service that deletes every five
    /// minutes.
    package static let (historyDays, historyEntries): (Double, Int64) = (90, 100_000)

    /// Adds `entries`, and removes a few entries that are too old or too many. The entry at the end of a run replaces
    /// those of its beginning.
    package func append(_ entries: [HistoryEntry]) throws {
        for entry in entries {
            // For SQLite a text ends at a NUL.
            let json = DatabaseValue.text(try Self.json(entry).replacing("\\u0000", with: "\\ufffd"))
            if entry.kind == .run, let run = entry.runID {
                try db.execute(
                    "DELETE FROM history WHERE run_id = :run AND kind = 'begun'", ["run": .text(run)])
            }
            let columns = HistoryColumns.entry
            try db.execute(
                "INSERT INTO history (\(columns.names)) SELECT \(columns.values(in: ":entry"))",
                ["entry": json])
            let id = DatabaseValue.int64(db.lastInsertedRowID)
            for list in HistoryColumns.lists {
                try db.execute(
                    """
                    INSERT INTO \(list.table) (entry, position, \(list.columns.names)) \
                    SELECT :id, key, \(list.columns.values(in: "value")) FROM json_each(:entry, '$.\(list.key)')
                    """, ["id": id, "entry": json])
            }
            try trim(after: entry)
        }
    }

    /// Removes a few entries at a time, so that nobody waits for many. Removes old entries only if a run has believed
    /// the clock, because otherwise the age of an entry is unknown.
    private func trim(after entry: HistoryEntry) throws {
        guard entry.kind != .begun else { return }
        let isBelieved =
            entry.kind == .run && entry.rules?.contains { $0.waitsFor == .clock } != true
            || entry.repeats?.contains { $0.outcome == .done } == true
        let oldest = isBelieved ? entry.time.addingTimeInterval(-86_400 * Self.historyDays) : nil
        try db.execute(
            """
            DELETE FROM history WHERE id IN (
                SELECT id FROM (SELECT id FROM history WHERE time < :oldest ORDER BY time LIMIT :few)
                UNION SELECT id FROM (SELECT id FROM history
                    WHERE id <= (SELECT max(id) FROM history) - :most ORDER BY id LIMIT :few))
            """,
            [
                "oldest": Self.value(oldest), "most": .int64(Self.historyEntries), "few": .int64(20),
            ])
    }

    /// The entries since `since`, and since the newest `runs` runs (nil: all), in the order in which they were added.
    package func history(since: Date? = nil, runs: Int? = nil) throws -> [HistoryEntry] {
        let lists = HistoryColumns.lists.filter { layout.hasSizes || $0.table != HistoryColumns.sizes }.map {
            list in
            """
            '\(list.key)', json((SELECT nullif(json_group_array(json_object(\(list.columns.object(layout)))), '[]') \
            FROM (SELECT * FROM \(list.table) WHERE entry = history.id ORDER BY position)))
            """
        }
        var entries: [HistoryEntry] = []
        try db.eachStep(
            """
            SELECT kind, json_object(\(HistoryColumns.entry.object(layout)), \(lists.joined(separator: ", "))) FROM history
            WHERE (:since IS NULL OR time >= :since) AND id >= ifnull(
                (SELECT id FROM history WHERE kind = 'run' ORDER BY id DESC LIMIT 1 OFFSET :runs - 1), 0)
            ORDER BY id
            """, ["since": Self.value(since), "runs": .int64(Int64(runs ?? .max))]
        ) { statement throws(DatabaseError) in
            if let entry: HistoryEntry = try? Self.decoded(statement.row[1].string) { entries.append(entry) }
        }
        return entries
    }

    /// The last attempt of each rule, by the rule's name.
    package func lastAttempts() throws -> [String: LastAttempt] {
        var attempts: [String: (entry: Int64, attempt: LastAttempt)] = [:]
        for row in try db.rows(Self.lastEnds(layout)) {
            let record: RuleRecord = try Self.decoded(row[2].string)
            attempts[record.rule] = (
                row[0].integer,
                LastAttempt(
                    began: Self.date(microseconds: row[1].integer), record: record,
                    since: Self.date(row[3]), repeatedAt: Self.date(row[4]))
            )
        }
        let begun = try db.rows(
            "SELECT id, rule, time, store, \"table\" FROM history WHERE kind = 'begun' AND run_id IS NOT NULL"
        )
        for row in begun where row[0].integer > attempts[row[1].string]?.entry ?? 0 {
            attempts[row[1].string] = (
                row[0].integer,
                LastAttempt(
                    began: Self.date(microseconds: row[2].integer), record: nil, store: Self.text(row[3]),
                    table: Self.text(row[4]))
            )
        }
        return attempts.mapValues(\.attempt)
    }

    /// How many expired rows the last runs of each rule left, by the rule's name. A run that was held or failed tells
    /// nothing of how much a run deletes.
    package func backlogs() throws -> [String: Backlog] {
        let rows = try db.rows(
            """
            SELECT rule, (SELECT json_group_array(rest) FROM (SELECT rest FROM (
                SELECT entry, CASE outcome WHEN 'done' THEN 0 ELSE max(0, expired - deleted) END AS rest
                FROM run_rule WHERE rule = names.rule AND outcome IN ('done', 'stopped') AND expired IS NOT NULL
                ORDER BY entry DESC LIMIT \(Backlog.runs)) ORDER BY entry))
            FROM (SELECT DISTINCT rule FROM run_rule) AS names
            """)
        let backlogs = try rows.compactMap { row in
            try Backlog(Self.decoded(row[1].string)).map { (row[0].string, $0) }
        }
        return Dictionary(backlogs) { first, _ in first }
    }

    /// For each rule: the last run that ended; when the first of the consecutive runs with the same end began; and when
    /// the service last met the same end again.
    private static func lastEnds(_ layout: LedgerSchema.Layout) -> String {
        """
        SELECT entry, (SELECT time FROM history WHERE id = entry), \
        json_object(\(HistoryColumns.lists[0].columns.object(layout))), \
        (SELECT time FROM history WHERE id = (SELECT min(entry) FROM run_rule AS same WHERE same.rule = own.rule \
        AND same.entry > ifnull((SELECT max(entry) FROM run_rule AS other WHERE other.rule = own.rule \
        AND (other.outcome <> own.outcome OR other.waits_for IS NOT own.waits_for)), 0))), \
        (SELECT max(time) FROM history WHERE id IN (SELECT entry FROM quiet_rule AS quiet \
        WHERE quiet.entry > own.entry AND quiet.rule = own.rule AND quiet.outcome = own.outcome)) \
        FROM run_rule AS own WHERE (rule, entry) IN (SELECT rule, max(entry) FROM run_rule GROUP BY rule)
        """
    }

    /// The number of rows deleted on each of the last days in `timeZone`, up to `now`: by all rules, and by each.
    package func dailyDeletions(
        until now: Date, in timeZone: Zone
    ) throws -> (all: DailyDeletions, byRule: [String: DailyDeletions]) {
        let longest = TimeInterval(DailyDeletions.count + 1) * 86_400
        let runs = try db.rows(
            """
            SELECT history.time, deleted + dependents_deleted, run_rule.rule FROM history JOIN run_rule ON entry = id
            WHERE time >= :first AND deleted + dependents_deleted > 0 AND run_rule.store <> :archive
            """,
            [
                "first": Self.value(now.addingTimeInterval(-longest)),
                "archive": .text(RetentionPolicy.archiveName.description),
            ]
        ).map { (began: Self.date(microseconds: $0[0].integer), rows: $0[1].integer, rule: $0[2].string) }
        func days(_ runs: [(began: Date, rows: Int64, rule: String)]) -> DailyDeletions {
            DailyDeletions(runs.map { ($0.began, $0.rows) }, until: now, in: timeZone)
        }
        return (days(runs), Dictionary(grouping: runs, by: \.rule).mapValues(days))
    }

    /// How large each store was at the end of each day on which a run changed it, in `timeZone`: the last
    /// ``sizesKept`` of all stores.
    package func sizes(in timeZone: Zone) throws -> [String: [SizeOnDay]] {
        guard layout.hasSizes else { return [:] }
        let rows = try db.rows(
            """
            SELECT time, run_size.store, bytes, free_bytes FROM run_size JOIN history ON entry = id
            ORDER BY entry DESC LIMIT \(Self.sizesKept)
            """)
        return rows.reversed().reduce(into: [:]) { sizes, row in
            let day = HeldRule.day(of: Self.date(microseconds: row[0].integer), in: timeZone)
            let size = SizeOnDay(day: day, bytes: row[2].integer, freeBytes: row[3].integer)
            var own = sizes[row[1].string] ?? []
            if own.last?.day == day { own.removeLast() }
            sizes[row[1].string] = own + [size]
        }
    }

    private static let sizesKept = 2_000
}

/// Columns of the history. Their names are the keys of an entry in JSON, which carries values to the tables and back.
struct HistoryColumns {
    /// Names and types.
    let columns: [(name: String, type: String)]

    private init(_ columns: KeyValuePairs<String, String>) {
        self.columns = columns.map { ($0.key, $0.value) }
    }

    var declaration: String { columns.map { "\"\($0.name)\" \($0.type)" }.joined(separator: ",\n    ") }

    var names: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }

    /// SQL for the values in a JSON object.
    func values(in json: String) -> String {
        columns.map { "\(json) ->> '$.\($0.name)'" }.joined(separator: ", ")
    }

    /// SQL for the keys and values of a JSON object of a row.
    func object(_ layout: LedgerSchema.Layout) -> String {
        columns.map { column in
            let isMissing = layout == .older && column.name == LedgerSchema.newColumn
            return "'\(column.name)', " + (isMissing ? "NULL" : "\"\(column.name)\"")
        }.joined(separator: ", ")
    }

    static let entry = HistoryColumns([
        "kind": "TEXT NOT NULL", "time": "INTEGER NOT NULL", "by": "TEXT NOT NULL", "user": "TEXT",
        "run_id": "TEXT", "outcome": "TEXT", "duration_ms": "REAL", "rule": "TEXT", "store": "TEXT",
        "table": "TEXT", "expired": "INTEGER", "cutoff_day": "TEXT", "rows": "INTEGER", "since": "INTEGER",
        "runs": "INTEGER", "restored": "INTEGER", "skipped": "INTEGER", "reason": "TEXT", "hint": "TEXT",
    ])

    private static let rule = HistoryColumns([
        "rule": "TEXT NOT NULL", "store": "TEXT NOT NULL", "table": "TEXT NOT NULL",
        "cutoff": "INTEGER NOT NULL", "outcome": "TEXT NOT NULL", "expired": "INTEGER",
        "deleted": "INTEGER NOT NULL", "dependents_deleted": "INTEGER NOT NULL",
        "kept_implausible": "INTEGER NOT NULL", "batches": "INTEGER NOT NULL",
        "longest_batch_ms": "REAL NOT NULL", "duration_ms": "REAL NOT NULL", "access_path": "TEXT",
        "waits_for": "TEXT", "reason": "TEXT", "hint": "TEXT", "came_back": "INTEGER",
    ])

    private static let reclaim = HistoryColumns([
        "store": "TEXT NOT NULL", "outcome": "TEXT NOT NULL", "reclaimed_bytes": "INTEGER NOT NULL",
        "free_bytes": "INTEGER", "steps": "INTEGER NOT NULL", "longest_step_ms": "REAL NOT NULL",
        "duration_ms": "REAL NOT NULL", "reason": "TEXT", "hint": "TEXT",
    ])

    private static let repeated = HistoryColumns([
        "rule": "TEXT NOT NULL", "outcome": "TEXT NOT NULL", "runs": "INTEGER NOT NULL",
    ])

    /// The lists in an entry: their keys, tables and columns.
    static let lists: [(key: String, table: String, columns: HistoryColumns)] = [
        ("rules", "run_rule", rule), ("reclaimed", "run_reclaim", reclaim),
        ("repeats", "quiet_rule", repeated), ("sizes", sizes, size),
    ]

    /// The table that ledgers of older versions lack.
    static let sizes = "run_size"

    private static let size = HistoryColumns([
        "store": "TEXT NOT NULL", "bytes": "INTEGER NOT NULL", "free_bytes": "INTEGER NOT NULL",
    ])
}
