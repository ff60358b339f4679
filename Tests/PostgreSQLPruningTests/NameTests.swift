import Pruning
import Retention
import TestSupport
import Testing

@testable import PostgreSQLPruning

/// Names of tables and columns, and values, which come from an app and from whoever owns its tables.
@Suite(
    "Names on PostgreSQL",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct NameTests {
    /// With a combining character after it, a quotation mark is another `Character`; the server sees the mark.
    private static let oddNames = [
        "with space", "quo\"te", "\"", "it's", "semi;colon", "dash--dash", "/* comment */", "select", "ctid2",
        "näme", "表", "💾", "tab\tnew\nline", "%s", "$1", "' OR 1=1 --", "\" OR 1=1 --", "\"\u{301}",
        "x\"\u{301} OR 1=1 --", "x'\u{301} OR 1=1 --", "\\\u{301}", "a\r\nb",
    ]

    @Test(
        "a table and its columns may have any name: its rows go and come back, and those of no other table",
        arguments: oddNames)
    func anyName(name: String) throws {
        let (table, column) = (name.quotedByScalar("\""), (name + " at").quotedByScalar("\""))
        let values = ["\"\u{301}", "\\\u{301}\"", "'\u{301}", "{\"\u{301},NULL}", "a\r\nb"]
        let rows = values.enumerated().map { index, value in
            "(\(index + 1), '2026-01-01', \(value.quotedByScalar("'")))"
        }
        let database = try ArchivedDatabase(
            """
            CREATE TABLE \(table) (id int PRIMARY KEY, \(column) timestamptz, \(table) text);
            CREATE TABLE bystander (id int PRIMARY KEY, at timestamptz);
            INSERT INTO \(table) VALUES \(rows.joined(separator: ", ")), (9, now() + interval '1 year', 'stays');
            -- How a table of few pages is read does not matter.
            INSERT INTO \(table) SELECT 100 + i, now() + interval '1 year', repeat('x', 1800)
                FROM generate_series(1, 300) i;
            INSERT INTO bystander VALUES (1, '2026-01-01');
            """)
        let before = try database.app.psql("SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM \(table) t")
        let rule = RetentionRule(
            name: "old", store: "s", table: name, expiry: .age(column: name + " at", keep: Span(30, .day)),
            protect: ["id = 9"], identity: [name], holdLimits: .noneAtAll, archiveKeep: Span(30, .day))
        let report = try database.prune(rule).rules[0]
        #expect(report.outcome == .done && report.deleted == Int64(values.count), "\(report)")
        #expect(try database.app.psql("SELECT id FROM \(table) WHERE id < 100") == "9")
        #expect(try database.restore().map(\.restored).reduce(0, +) == Int64(values.count))
        let after = try database.app.psql("SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM \(table) t")
        #expect(after == before)
        #expect(try database.app.psql("SELECT count(*) FROM bystander") == "1")
    }
}

extension String {
    fileprivate func quotedByScalar(_ mark: Unicode.Scalar) -> String {
        var quoted = String.UnicodeScalarView([mark])
        for scalar in unicodeScalars { quoted.append(contentsOf: scalar == mark ? [mark, mark] : [scalar]) }
        quoted.append(mark)
        return String(quoted)
    }
}
