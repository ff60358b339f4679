import TestSupport
import Foundation

/// A store of another app's with tables of every kind, and values of every kind in them, of which a part has expired.
struct OddStore {
    static let tables = ["keyless", "named", "ordered"]
    /// What tells the rows of each table apart, and all that stands in them.
    private static let columns = "a, b, c, d, at"

    let state: StateDirectory

    /// One with so many rows in each table.
    init(rows: Int) throws {
        state = try StateDirectory()
        try FileManager.default.createDirectory(atPath: state.path, withIntermediateDirectories: false)
        try database.query(
            """
            PRAGMA journal_mode = WAL;
            CREATE TABLE keyless (a, b, c, d, at INTEGER);
            CREATE TABLE named (a TEXT PRIMARY KEY, b, c, d, at INTEGER, twice AS (at * 2) STORED, UNIQUE (a, at));
            CREATE TABLE ordered (a BLOB, b, c, d, at INTEGER, PRIMARY KEY (a, at)) WITHOUT ROWID;
            CREATE INDEX named_at ON named (at);
            CREATE TABLE source AS
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                SELECT 'id ' || i AS a,
                       CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN i WHEN 2 THEN i / 7.0 WHEN 3 THEN 'ä' || i
                           ELSE randomblob(1 + i % 300) END AS b,
                       CASE i % 3 WHEN 0 THEN CAST(x'66ff00fe' AS TEXT) WHEN 1 THEN x'' ELSE '' END AS c,
                       CASE i % 4 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 WHEN 2 THEN -0.0
                           ELSE 9e999 END AS d,
                       unixepoch() - 40 * 86400 + (i * 7919 % (20 * 86400)) AS at FROM n;
            INSERT INTO keyless SELECT * FROM source ORDER BY b;
            INSERT INTO named SELECT * FROM source;
            INSERT INTO ordered SELECT * FROM source;
            DROP TABLE source;
            """)
    }

    private init(state: StateDirectory) {
        self.state = state
    }

    func copied() throws -> OddStore {
        OddStore(state: try state.copied())
    }

    var path: String { state.path + "/odd.sqlite" }
    var database: Database { Database(path: path) }
    var archive: Database { Database(path: state.path + "/archive/odd/archive.sqlite") }

    /// The configuration that archives all of it; `more` stands at its beginning.
    func configuration(_ more: String = "") throws -> String {
        let rules = Self.tables.map { table in
            """
            [rule.\(table)]
            \(more.contains("store.") ? "store = \"odd\"" : "")
            table = "\(table)"
            age_column = "at"
            keep = "30d"
            archive = true
            guard = { max_share = 1 }
            """
        }
        return try state.configuration(
            more + "\n[store.odd]\npath = \"odd.sqlite\"\n" + rules.joined(separator: "\n"))
    }

    func run(plan: String = "walk", _ more: String = "") throws -> Program {
        state.pruned("--run-now", "--json", "--access-path", plan, "--config", try configuration(more))
    }

    func restore(_ runID: String, _ options: String...) throws -> Program {
        var program = state.pruned("restore", runID, "--config", try configuration())
        program.arguments += options
        return program
    }

    /// The runs that the archive has rows of; none while there is no archive.
    func archivedRuns() throws -> [String] {
        guard FileManager.default.fileExists(atPath: archive.path),
            try archive.count("SELECT count(*) FROM sqlite_schema WHERE name = 'batch'") > 0
        else { return [] }
        return try archive.query("SELECT DISTINCT run_id FROM batch WHERE row_count > 0 ORDER BY 1")
            .split(separator: "\n").map(String.init)
    }

    /// The rows that have expired, in all tables.
    func expired() throws -> Int {
        try Self.tables.map {
            try database.count("SELECT count(*) FROM \($0) WHERE at < unixepoch('now', '-30 days')")
        }.reduce(0, +)
    }

    /// How many rows of `original` are missing here, and how many are here that it has not, table by table: bit for bit,
    /// and with the types of the values.
    func differences(from original: OddStore) throws -> String {
        let queries = Self.tables.map { table in
            let exact =
                Self.columns.split(separator: ", ").map { "typeof(\($0)), hex(CAST(\($0) AS BLOB))" }
                .joined(separator: ", ") + (table == "keyless" ? ", rowid" : "")
            let (mine, other) = ("SELECT \(exact) FROM main.\(table)", "SELECT \(exact) FROM o.\(table)")
            return """
                SELECT (SELECT count(*) FROM (\(other) EXCEPT \(mine))), (SELECT count(*) FROM (\(mine) EXCEPT \(other)));
                """
        }
        return try database.query("ATTACH '\(original.path)' AS o; \(queries.joined())")
    }

    static let noDifferences = "0|0\n0|0\n0|0"
}
