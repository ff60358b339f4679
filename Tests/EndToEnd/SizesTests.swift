import Foundation
import TestSupport
import Testing

/// What runs did for the file.
@Suite struct SizesTests {
    @Test("history and status keep the sizes after runs; plan and status say what VACUUM would take")
    func sizes() throws {
        let state = try StateDirectory()
        let path = state.sandbox.path + "/app.sqlite"
        try Database(path: path, prefix: []).query(
            """
            CREATE TABLE t (id INTEGER PRIMARY KEY, at INTEGER, text TEXT);
            WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
            INSERT INTO t SELECT i, iif(i % 10 = 0, unixepoch(), 1000000000), hex(randomblob(500)) FROM n;
            """)
        let file = try state.configuration(
            """
            store.app.path = "\(path)"
            guard.max_share = 1
            rule.ts = { table = "t", age_column = "at", keep = "30d" }
            """)
        let run = try state.pruned("--run-now", "--json", "--config", file).run().checked().members()
        let size = try #require((run["sizes"] as? [[String: Any]])?.first)
        let (bytes, free) = try (#require(size["bytes"] as? Int), #require(size["free_bytes"] as? Int))
        #expect(size["store"] as? String == "app" && bytes > 20_000_000 && free > bytes / 10 * 8)
        let history = try state.pruned("history", "--json", "--config", file).run().checked().output
        #expect(history.contains("\"sizes\":[{\"bytes\":\(bytes),\"free_bytes\":\(free),\"store\":\"app\"}]"))

        let status = try state.pruned("status", "--json", "--config", file).run().checked().members()
        let days = try #require(status["sizes"] as? [[String: Any]])
        #expect(
            days.count == 1 && days[0]["store"] as? String == "app" && days[0]["bytes"] as? Int == bytes
                && days[0]["free_bytes"] as? Int == free)
        let store = try #require((status["stores"] as? [[String: Any]])?.first)
        #expect(store["vacuum_bytes"] as? Int == (bytes - free) * 2 && store["vacuum_ms"] is Double)
        let rule = try #require((status["rules"] as? [[String: Any]])?.first)
        #expect((rule["deleted_per_day"] as? [Int])?.last == 18_000)

        for command in ["status", "plan"] {
            let text = try state.pruned(command, "--config", file).run().checked().output
            #expect(text.contains("% of app.sqlite is free; VACUUM needs"), "\(text)")
        }
        try Database(path: path, prefix: []).query("VACUUM")
        let after = try state.pruned("status", "--config", file).run().checked().output
        #expect(!after.contains("VACUUM") && after.contains(" of it free"), "\(after)")
    }
}
