import TestSupport

/// Statements that somebody could have executed in the ledger or in the archive.
struct PlantedSQL {
    /// Below the state directory.
    let file: String
    let statement: String

    private static let columns: [(file: String, table: String, columns: [String])] = [
        (
            LedgerTemplate.ledger, "last_run",
            ["rule", "began", "said", "place", "deleted", "duration_ms", "came_back"]
        ),
        // What was confirmed, and of what, is for people to say.
        (LedgerTemplate.ledger, "hold", ["cause", "since", "begun_at", "announced_at"]),
        (LedgerTemplate.ledger, "clock", ["time", "since_boot", "boot_id"]),
        (LedgerTemplate.ledger, "document", ["name", "content"]),
        (LedgerTemplate.ledger, "history", ["time", "run_id", "kind"]),
        (
            LedgerTemplate.archive, "batch",
            [
                "run_id", "rule", "store", "\"table\"", "columns", "archived_at", "expires_at", "row_count",
                "rows",
                "has_place", "checksum",
            ]
        ),
        (
            LedgerTemplate.archive, "lease",
            ["store", "until", "fingerprints", "checksum", "run_id", "batch", "places"]
        ),
        (LedgerTemplate.archive, "deletion", ["run_id", "rule"]),
    ]

    private static let values = [
        "NULL", "0", "-1", "9223372036854775807", "-9223372036854775808", "1e300", "''", "'{'", "'[]'",
        "'{}'",
        "x'00'", "x'FF'", "zeroblob(16)", "zeroblob(3000000)", "hex(zeroblob(100000))", "char(0, 27, 10)",
        "'plain'",
        "'held'", "'../../x'", "COLUMN || COLUMN", "COLUMN + 1", "substr(COLUMN, 2)", "-COLUMN",
    ]

    init(using generator: inout SeededGenerator) {
        func one<Element>(of all: [Element]) -> Element {
            all[Int.random(in: 0..<all.count, using: &generator)]
        }
        let (file, table, columns) = one(of: Self.columns)
        self.file = file
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        let planted = [
            "CREATE TRIGGER planted AFTER INSERT ON \(table) BEGIN DELETE FROM \(table); END",
            "CREATE TRIGGER planted BEFORE UPDATE ON \(table) BEGIN SELECT raise(IGNORE); END",
            "ALTER TABLE \(table) RENAME TO away; CREATE VIEW \(table) AS SELECT * FROM away",
            "ALTER TABLE \(table) RENAME TO away; CREATE VIEW \(table) AS \(endless) SELECT i FROM n",
            "ALTER TABLE \(table) ADD COLUMN more AS (hex(zeroblob(100)))", "DROP TABLE \(table)",
            "CREATE UNIQUE INDEX planted ON \(table) (1)", "DELETE FROM \(table)", "PRAGMA user_version = 77",
            "PRAGMA application_id = 1", "PRAGMA journal_mode = WAL", "CREATE TABLE planted (x)",
        ]
        let column = one(of: columns)
        let value = one(of: Self.values).replacing("COLUMN", with: column)
        statement =
            Int.random(in: 0..<4, using: &generator) == 0
            ? one(of: planted)
            : "PRAGMA ignore_check_constraints = 1; UPDATE OR IGNORE \(table) SET \(column) = \(value)"
    }
}
