import Pruning
import Retention
import SQLitePruning
import TestSupport
import Testing

/// How the rows are found that a keeper keeps, of those whose key is text.
struct KeptRowsTests {
    @Test(
        "a keeper's table and column may have any name that SQLite accepts, and keep their rows",
        arguments: ["t days", "T Days", "t point", "t keeper", "each", "sqlitedays"], ["day", "digits", "id"])
    func anyName(table: String, column: String) throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE t (id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            CREATE INDEX t_day ON t (at / 86400, id, at);
            CREATE TABLE "\(table)" ("\(column)" INTEGER PRIMARY KEY) STRICT;
            INSERT INTO t VALUES ('1506', \(old - 90_000)), ('1507', \(old - 90_000)), ('1508', \(old));
            INSERT INTO "\(table)" VALUES (1507), (1508), (1509);
            """)
        let report = app.outcome(.old(keptBy: ColumnReference(table: table, column: column)))
        #expect(report.outcome == .done, "\(report.failure?.description ?? "")")
        #expect(report.expired == 1)
        #expect(try app.texts("SELECT id FROM t") == ["1507", "1508"])
    }
}
