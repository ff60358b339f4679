import Pruning
import Retention
import RuleEngine
import TestSupport
import Testing

@testable import PostgreSQLPruning

/// What EXISTS would hide: a value that is none of its column's kind, or a table that is a part of another.
@Suite(
    "Odd values in tables that conditions read",
    .enabled(if: PostgreSQLPrograms.installed != nil, "\(PostgreSQLPrograms.comment)"))
struct OddValueTests {
    private static let schema = """
        CREATE TABLE items (id bigint PRIMARY KEY, title char(6), received timestamptz, until timestamptz, extra jsonb);
        CREATE TABLE pins (item bigint, until timestamptz, day date, score float8, price numeric, more jsonb);
        INSERT INTO items VALUES (1, 'keep', '2020-01-01', 'infinity', '{"pin": 1}');
        INSERT INTO pins VALUES (1, 'infinity', '1985-05-05', 'NaN', 'NaN', '{"pin": 1}');
        """

    @Test(
        "A match that a value of no kind makes unknown is one where it makes the row stay",
        arguments: [
            "p.until > '2026-01-01'", "p.until < '2026-01-01'", "p.day < '2010-01-01'", "p.score >= 0",
            "p.score < 5.0", "p.price > 1", "p.more->>'pin' = TRUE", "p.until = items.until",
            "items.until > '2026-01-01'", "items.extra->>'pin' = TRUE",
        ])
    func odd(term: String) throws {
        let store = try OwnedDatabase(Self.schema)
        let texts = [
            "EXISTS (SELECT 1 FROM pins p WHERE p.item = items.id AND \(term))",
            "id IN (SELECT p.item FROM pins p WHERE \(term))",
        ]
        for text in texts {
            #expect(try store.rows(where: "NOT (\(text))") == 0, "\(text)")
            #expect(try store.rows(protect: text) == 0, "\(text)")
        }
    }

    @Test("A text that its column takes for equal to another is neither nullified nor kept by nullif")
    func nullif() throws {
        let store = try OwnedDatabase(Self.schema)
        for text in ["nullif(title, 'keep ') IS NULL", "nullif(title, 'keep ') = 'keep'"] {
            #expect(try store.rows(where: text) == 0, "\(text)")
            #expect(try store.rows(protect: text) == 0, "\(text)")
        }
    }

    @Test(
        "A table whose rows a rule deletes is not read through one from which it inherits, nor pruned itself")
    func heirs() throws {
        let store = try OwnedDatabase(
            Self.schema
                + "CREATE TABLE old_pins () INHERITS (pins); ALTER TABLE old_pins ADD PRIMARY KEY (item);")
        let reading = try OwnedDatabase.rule(protect: [
            "EXISTS (SELECT 1 FROM pins p WHERE p.item = items.id)"
        ])
        var pruning = try OwnedDatabase.rule("pins", on: "old_pins")
        pruning.expiry = .age(column: "until", keep: Span(90, .day))
        let refusal = try store.refusal(of: reading, beside: [pruning])
        #expect(refusal?.cause.hasSuffix("reads pins, of which rule pins deletes rows") == true)
        try store.transaction { connection in
            let refusal = #expect(throws: SchemaMismatch.self) { () throws in
                try BoundRule(pruning, in: connection)
            }
            #expect(refusal?.cause == "old_pins inherits from pins")
        }
    }
}

extension OwnedDatabase {
    /// How many rows of `items` a rule would delete that has this condition, whatever their ages.
    fileprivate func rows(where condition: String? = nil, protect: String? = nil) throws -> Int64? {
        try transaction { connection in
            let items = try connection.relation(named: "items")
            let rule = try Self.rule(where: condition, protect: [protect].compactMap(\.self))
            let terms = try RowConditions(of: rule, on: items, in: connection).terms
            return try connection.query(
                "SELECT count(*) FROM \(items.sql) AS \(items.alias) WHERE \(terms.joined(separator: " AND "))"
            ).integer(0, 0)
        }
    }
}
