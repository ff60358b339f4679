import Foundation
import TestSupport

/// The reading app on the service's store, as its user runs it.
extension FreshService {
    static let stateDirectory = "/var/lib/pruned"

    /// Runs `reader`, which must succeed and say nothing on standard error; its output.
    @discardableResult
    func reader(_ arguments: String...) throws -> String {
        let line = ["runuser", "-u", "app", "--", "reader"] + arguments
        let ended = try container.attempt(line + ["--state-dir", Self.stateDirectory])
        guard ended.errors.isEmpty else { throw ProgramFailed(program: ended) }
        return try ended.answer()
    }

    /// Lets the app import tweets with these ids and times.
    func importTimeline(_ tweets: [(id: Int, createdAt: String)]) throws {
        let user = "{\"id\": 1, \"name\": \"A\", \"screen_name\": \"a\", \"profile_image_url_https\": \"\"}"
        let json = tweets.map {
            "{\"id\": \($0.id), \"text\": \"\", \"created_at\": \"\($0.createdAt)\", \"user\": \(user)}"
        }.joined(separator: ",")
        try Data("[\(json)]".utf8).write(to: URL(filePath: container.path("/tmp/timeline.json")))
        try reader("timeline", "import", "/tmp/timeline.json")
    }

    /// The rows that the default rules would take now, by table; read records as long as no tweet needs them.
    func expiredRows() throws -> [String: Int] {
        try rows(
            """
            SELECT 'feed', count(*) FROM feed WHERE expires_at < unixepoch() UNION ALL
            SELECT 'item', count(*) FROM item WHERE timestamp < unixepoch('now', '-183 days') UNION ALL
            SELECT 'tweet', count(*) FROM tweet WHERE created_at < unixepoch('now', '-30 days') UNION ALL
            SELECT 'read_record', count(*) FROM read_record WHERE created_at < unixepoch('now', '-30 days')
            """)
    }

    /// The rows that stay for days, by table, but for those of `reader load`.
    func keptRows() throws -> [String: Int] {
        try rows(
            """
            SELECT 'item', count(*) FROM item WHERE timestamp >= unixepoch('now', '-183 days') UNION ALL
            SELECT 'tweet', count(*) FROM tweet WHERE created_at >= unixepoch('now', '-30 days') UNION ALL
            SELECT 'read_record', count(*) FROM read_record
            WHERE created_at >= unixepoch('now', '-30 days') AND id NOT LIKE 'load-%'
            """)
    }

    private func rows(_ sql: String) throws -> [String: Int] {
        let lines = try app(sql).split(separator: "\n").map { $0.split(separator: "|") }
        return Dictionary(uniqueKeysWithValues: lines.map { (String($0[0]), Int($0[1]) ?? -1) })
    }
}
