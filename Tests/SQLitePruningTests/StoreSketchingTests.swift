import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// Looking at a store without reading all of it.
struct StoreSketchingTests {
    private func sketch(_ sql: String) throws -> StoreSketch {
        let app = try TemporaryStore(sql)
        return try SQLiteSketching(path: app.path, control: freeControl()).take()
    }

    private static let rows = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, long TEXT, odd BLOB);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
        INSERT INTO t SELECT i, i * 2, printf('%.*c', 100, 'x'), x'00' FROM n;
        """

    @Test("rows are counted, and a part of them is looked at: the first, the last, and some between")
    func spread() throws {
        let table = try #require(try sketch(Self.rows).tables.first)
        #expect(table.rows == 20_000 && !table.isEstimate)
        let values = table.columns[1].values
        #expect(values.count < 1_000)
        #expect(values.contains(.integer(2)) && values.contains(.integer(40_000)))
        let middle = table.spread.map { values[$0] }
        #expect((250...320).contains(middle.count))
        let upper = middle.count { if case .integer(let value) = $0 { value > 20_000 } else { false } }
        #expect(abs(2 * upper - middle.count) <= 10)
        #expect(table.columns[2].values.allSatisfy { $0 == .text(String(repeating: "x", count: 40)) })
        #expect(table.columns[3].values.allSatisfy { $0 == .blob })
    }

    @Test(
        "the schema says which columns are keys, refer to others, or have an index, and what refers to the table"
    )
    func schema() throws {
        let sketch = try sketch(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, at INTEGER);
            CREATE INDEX a_at ON a (at, id);
            CREATE TABLE b (id INTEGER PRIMARY KEY, a INTEGER REFERENCES a (id) ON DELETE CASCADE);
            CREATE TABLE c (id INTEGER PRIMARY KEY, b INTEGER REFERENCES b (id) ON DELETE CASCADE);
            CREATE TABLE d (a INTEGER REFERENCES a);
            CREATE VIEW v AS SELECT 1;
            """)
        #expect(sketch.tables.map(\.name) == ["a", "b", "c", "d"])
        #expect(sketch.tables[0].columns.map(\.isKey) == [true, false])
        #expect(sketch.tables[0].columns.map(\.isIndexed) == [false, true])
        #expect(sketch.tables[1].columns.map(\.refersTo) == [nil, "a"])
        #expect(
            sketch.tables[0].references == [
                ReferenceSketch(table: "b", column: "a", cascades: true),
                ReferenceSketch(table: "c", column: "b", cascades: true, refersToKey: false),
                ReferenceSketch(table: "d", column: "a", cascades: false),
            ])
    }

    @Test("keys at the ends of their range, and tables without a rowid or without rows")
    func keys() throws {
        let sketch = try sketch(
            """
            CREATE TABLE wide (id INTEGER PRIMARY KEY, v);
            INSERT INTO wide VALUES (\(Int64.min), 1), (0, 2), (\(Int64.max), 3);
            CREATE TABLE "w o" (k TEXT PRIMARY KEY, v INTEGER) WITHOUT ROWID;
            INSERT INTO "w o" VALUES ('a', 1), ('b', NULL);
            CREATE TABLE none (v);
            CREATE TABLE shadowed (rowid INTEGER, v REAL);
            INSERT INTO shadowed VALUES (7, 0.5), (7, 1);
            """)
        let rows = Dictionary(uniqueKeysWithValues: sketch.tables.map { ($0.name, $0.rows) })
        #expect(rows == ["wide": 3, "w o": 2, "none": 0, "shadowed": 2])
        #expect(Set(sketch.tables[3].columns[1].values) == [.integer(1), .integer(2), .integer(3)])
        #expect(sketch.tables.allSatisfy { !$0.isEstimate })
    }

    @Test("a flag of each type is counted in all rows, and keys are looked for by their values")
    func counts() throws {
        let app = try TemporaryStore(
            """
            CREATE TABLE posts (id INTEGER PRIMARY KEY, unread, "Star" TEXT, saved INTEGER);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
            INSERT INTO posts SELECT i, i % 2, iif(i % 4, NULL, 'it''s'), iif(i % 10, 0, i) FROM n;
            CREATE TABLE "Mark s" ("Post" INTEGER);
            INSERT INTO "Mark s" SELECT id FROM posts WHERE id % 20 = 0;
            """)
        let sketching = SQLiteSketching(path: app.path, control: freeControl())
        let sketch = try sketching.take()
        let table = try #require(sketch.tables.first { $0.name == "posts" })
        let counts = Dictionary(
            uniqueKeysWithValues: table.columns.map { ($0.name, Set($0.counts.map(\.rows))) })
        #expect(counts["unread"] == [1_000] && counts["Star"] == [1_500, 500], "\(counts)")
        #expect(counts["saved"] == [1_800, 200] && counts["id"] == [], "\(counts)")
        #expect((table.bytes ?? 0) > 2_000)
        let references = try ValueReferences(in: sketch, to: ["posts"], times: [:]) {
            (questions) throws(StoreError) in try sketching.count(questions)
        }
        #expect(
            references.all.contains(ValueReference(table: "Mark s", column: "Post", target: "posts")),
            "\(references.all)")
        #expect(references.isComplete)
    }

    @Test("of columns that are computed or beyond the hundredth the name is known")
    func names() throws {
        let sketch = try sketch(
            """
            CREATE TABLE wide (id INTEGER PRIMARY KEY, \((2...110).map { "c\($0)" }.joined(separator: ", ")),
                starred AS (c2));
            INSERT INTO wide (c2) VALUES (7);
            """)
        let columns = sketch.tables[0].columns
        #expect(columns.count == 111 && columns[110].name == "starred" && columns[110].values == [])
        #expect(columns[1].values.contains(.integer(7)) && columns[100].values == [])
    }

    @Test("a table that needs a part of its app has its schema and the reason, and the others are looked at")
    func apps() throws {
        let sketch = try sketch(
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, v AS (abs(id)) STORED);
            CREATE TABLE b (k TEXT PRIMARY KEY, v INTEGER) WITHOUT ROWID;
            CREATE TABLE rowid (rowid, _rowid_, oid);
            INSERT INTO a VALUES (1);
            INSERT INTO b VALUES ('x', 1);
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(sql, 'k TEXT', 'k TEXT COLLATE app') WHERE name = 'b';
            """)
        #expect(sketch.tables.map(\.name) == ["a", "b", "rowid"])
        #expect(sketch.tables[0].obstacle == nil && sketch.tables[0].rows == 1)
        #expect(sketch.tables[1].obstacle?.contains("no such collation") == true)
        #expect(sketch.tables[1].columns.map(\.name) == ["k", "v"])
        #expect(sketch.tables[2].obstacle?.contains("no key") == true)
    }

    @Test("of many tables the first 300 are looked at, and the others counted")
    func many() throws {
        let sketch = try sketch((0..<305).map { "CREATE TABLE t\($0) (a);" }.joined())
        #expect(sketch.tables.count == 300 && sketch.unseen == 5)
    }

    @Test("a file that is no database is damaged")
    func damaged() throws {
        let app = try TemporaryStore("CREATE TABLE t (a)")
        try Data(repeating: 7, count: 8_192).write(to: URL(filePath: app.path))
        #expect(throws: StoreError.self) {
            try SQLiteSketching(path: app.path, control: freeControl()).take()
        }
    }
}
