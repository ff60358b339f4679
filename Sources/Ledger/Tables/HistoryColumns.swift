/// The columns of the history, which are the keys of its entries: JSON carries these to the tables and back.
struct HistoryColumns {
    /// Names and types.
    let columns: [(name: String, type: String)]

    private init(_ columns: KeyValuePairs<String, String>) {
        self.columns = columns.map { ($0.key, $0.value) }
    }

    var declaration: String { columns.map { "\"\($0.name)\" \($0.type)" }.joined(separator: ",\n    ") }

    var names: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }

    /// The values of a JSON object.
    func values(in json: String) -> String {
        columns.map { "\(json) ->> '$.\($0.name)'" }.joined(separator: ", ")
    }

    /// The parts of a JSON object of a row.
    var object: String { columns.map { "'\($0.name)', \"\($0.name)\"" }.joined(separator: ", ") }

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
        "waits_for": "TEXT", "reason": "TEXT", "hint": "TEXT",
    ])

    private static let reclaim = HistoryColumns([
        "store": "TEXT NOT NULL", "outcome": "TEXT NOT NULL", "reclaimed_bytes": "INTEGER NOT NULL",
        "free_bytes": "INTEGER", "steps": "INTEGER NOT NULL", "longest_step_ms": "REAL NOT NULL",
        "duration_ms": "REAL NOT NULL", "reason": "TEXT", "hint": "TEXT",
    ])

    private static let repeated = HistoryColumns([
        "rule": "TEXT NOT NULL", "outcome": "TEXT NOT NULL", "runs": "INTEGER NOT NULL",
    ])

    /// What an entry has lists of: their keys, tables and columns.
    static let lists: [(key: String, table: String, columns: HistoryColumns)] = [
        ("rules", "run_rule", rule), ("reclaimed", "run_reclaim", reclaim),
        ("repeats", "quiet_rule", repeated),
    ]
}
