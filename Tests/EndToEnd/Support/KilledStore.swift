import Foundation
import Testing

/// What must still stand in a store whose run was killed while an app wrote.
struct KilledStore {
    let app: WritingApp
    let template: StateDirectory

    /// Counts the rows of all tables that a run touches.
    static let allRows = """
        SELECT (SELECT count(*) FROM read_record) + (SELECT count(*) FROM tweet) + (SELECT count(*) FROM item)
             + (SELECT count(*) FROM feed) + (SELECT count(*) FROM article)
        """

    func expectNothingLost(round: Int) throws {
        let store = app.state.store
        #expect(try store.health() == "ok", "round \(round)")
        #expect(try store.query(unexpiredRowsMissing) == "0\n0\n0\n0\n0", "round \(round)")
        #expect(!app.committedKeys.isEmpty)
        for table in ["feed", "article", "item"] {
            let key = table == "item" ? "id" : "tab_id"
            let keys = app.committedKeys.joined(separator: ",")
            let found = try store.count("SELECT count(*) FROM \(table) WHERE \(key) IN (\(keys))")
            #expect(found == app.committedKeys.count, "round \(round): \(table)")
        }
        let ids = app.refreshedIDs.map { "'\($0)'" }.joined(separator: ",")
        let found = try store.count("SELECT count(*) FROM read_record WHERE id IN (\(ids))")
        #expect(found == Set(app.refreshedIDs).count, "round \(round): refreshed rows")
    }

    private var unexpiredRowsMissing: String {
        let unexpired = [
            "read_record": "created_at >= unixepoch('now', '-30 days')",
            "tweet": "created_at >= unixepoch('now', '-30 days')",
            "item": "timestamp >= unixepoch('now', '-183 days')",
            "feed": "expires_at >= unixepoch('now')",
            "article": "tab_id IN (SELECT tab_id FROM before.feed WHERE expires_at >= unixepoch('now'))",
        ]
        let counts = unexpired.map { table, condition in
            """
            SELECT count(*) FROM (
                SELECT * FROM before.\(table) WHERE \(condition) EXCEPT SELECT * FROM main.\(table));
            """
        }
        return "ATTACH '\(template.storePath)' AS before; \(counts.joined())"
    }
}
