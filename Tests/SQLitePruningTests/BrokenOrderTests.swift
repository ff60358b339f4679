import Foundation
import Pruning
import Retention
import TestSupport
import Testing

@testable import SQLitePruning

/// B-trees that are damaged in such a way that what comes next is what was before.
struct BrokenOrderTests {
    struct Layout: CustomTestStringConvertible, Sendable {
        let table: String
        let index: String
        let accessPath: AccessPath
        var testDescription: String { "\(table) \(index)" }

        /// The b-tree that is walked through.
        var tree: String { accessPath == .walk ? "t" : "t_at" }

        static let all = [
            ("id INTEGER PRIMARY KEY, at INTEGER", ""),
            ("id TEXT NOT NULL PRIMARY KEY, at INTEGER NOT NULL", "STRICT, WITHOUT ROWID"),
            ("id INTEGER NOT NULL, at INTEGER, PRIMARY KEY (id DESC)", "WITHOUT ROWID"),
        ].flatMap { columns, options in
            [("", .walk), ("at", .index), ("at / 86400", .index)].map {
                (index: String, accessPath: AccessPath) in
                Layout(
                    table: "CREATE TABLE t (\(columns)) \(options);",
                    index: index.isEmpty ? "" : "CREATE INDEX t_at ON t (\(index));", accessPath: accessPath)
            }
        }
    }

    private static let rows: Int64 = 1_500

    /// Rows that the keeper keeps, but for the last one, over hundreds of days.
    private func store(_ layout: Layout) throws -> TemporaryStore {
        try TemporaryStore(
            """
            PRAGMA page_size = 512;
            \(layout.table) \(layout.index)
            CREATE TABLE child (t_id INTEGER PRIMARY KEY);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
            INSERT INTO t (id, at) SELECT 1000 + i, \(old) - 20000 * (\(Self.rows) - i) FROM n;
            INSERT INTO child SELECT id FROM t ORDER BY id LIMIT \(Self.rows - 1);
            """)
    }

    private let rule = RetentionRule.old(keptBy: ColumnReference(table: "child", column: "t_id"))

    /// Where the cells of a tree's root begin that lead to other pages.
    private func cells(of tree: String, in bytes: Data, _ app: TemporaryStore) throws -> [Int] {
        let root = try #require(
            try app.integers("SELECT rootpage FROM sqlite_schema WHERE name = '\(tree)'").first)
        let page = Int(root - 1) * 512
        func number(_ offset: Int) -> Int { Int(bytes[page + offset]) << 8 | Int(bytes[page + offset + 1]) }
        try #require([2, 5].contains(bytes[page]), "the root leads to other pages")
        return (0..<number(3)).map { page + number(12 + 2 * $0) }
    }

    /// Runs the rule to its end in batches of changing lengths: the kind of error that ended it, if any did.
    private func prune(_ path: String, _ accessPath: AccessPath) -> StoreError.Kind? {
        do throws(StoreError) {
            let worker = try SQLiteStore.test(at: path).openWorker(freeControl())
            defer { worker.close() }
            _ = try worker.begin(PruneTask(rule, start: runStart, in: .gmt), accessPath: accessPath)
            // Each call passes a row, or comes to the end.
            for call in 0..<Int(Self.rows) {
                if try worker.deleteBatch(rows: [7, 20, 50][call % 3]).isLast { return nil }
            }
            Issue.record("a run without an end")
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("a run ends where the order goes back, and says that the store is damaged", arguments: Layout.all)
    func goesBack(layout: Layout) throws {
        let app = try store(layout)
        let whole = try Data(contentsOf: URL(filePath: app.path))
        var ends: [StoreError.Kind?] = []
        for cell in try cells(of: layout.tree, in: whole, app) {
            // Each of the bytes in which the page's key may stand is made as large as can be.
            for byte in 4..<16 {
                var bytes = whole
                bytes[cell + byte] = byte == 4 ? 0xFF : 0x7F
                try bytes.write(to: URL(filePath: app.path))
                ends.append(prune(app.path, layout.accessPath))
            }
        }
        #expect(ends.contains(.damaged))
        #expect(ends.allSatisfy { [nil, .damaged, .other].contains($0) }, "\(Set(ends))")
    }

    /// The seed 2 leads the count by the days of an index in a circle, where that does not look for it.
    @Test(
        "whatever byte is damaged, a run and a plan end", arguments: Layout.all,
        [2, UInt64.random(in: .min ... .max)])
    func randomBytes(layout: Layout, seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let app = try store(layout)
        let whole = try Data(contentsOf: URL(filePath: app.path))
        let cells = try cells(of: layout.tree, in: whole, app)
        for _ in 0..<Self.mutants {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place =
                    Bool.random(using: &generator)
                    ? (cells.randomElement(using: &generator) ?? 0) + .random(in: 0..<12, using: &generator)
                    : .random(in: 512..<whole.count, using: &generator)
                bytes[place] = .random(in: 0...255, using: &generator)
            }
            try bytes.write(to: URL(filePath: app.path))
            if let view = try? app.store.openView(freeControl()) {
                _ = try? view.ages(of: PruneTask(rule, start: runStart, in: .gmt))
                view.close()
            }
            _ = prune(app.path, layout.accessPath)
        }
    }

    private static let mutants = ProcessInfo.processInfo.environment["MUTANTS"].flatMap { Int($0) } ?? 25
}
