import Foundation
import Testing

/// A store as another app makes it, with rows of each kind that its preset deletes or must keep.
///
/// A row's title begins with its fate: "goes" or "stays".
struct AppStore: Sendable, CustomTestStringConvertible {
    /// The name of its preset.
    let preset: String
    /// The app's tables, in the app's own order, with the defaults and the indexes that a gate does not ask for.
    let schema: String
    let rows: String
    /// The table that the preset's rule prunes.
    let table: String
    /// The titles that the app shows.
    let shown: String

    /// Makes of ``schema`` that of other versions.
    var version = ""

    static let all = [
        newsboat, liferea, rssGuard, quiteRSS, freshRSS, nextcloudNews, yarr, fusion, coreData,
    ]

    /// The same apps of other versions, as their preset knows them.
    static let versions = [
        yarr24,
        freshRSS.version(
            "1.20",
            replacing: ["VARCHAR(767)": "VARCHAR(760)", "VARCHAR(65535)": "VARCHAR(255)", "32768": "1023"]),
        freshRSS.version("1.24", replacing: ["INT(11)": "BIGINT", "VARCHAR(65535)": "VARCHAR(8192)"]),
        freshRSS.version(
            "1.28",
            replacing: [
                "`attributes` TEXT,\n":
                    "`attributes` TEXT, `lastUserModified` BIGINT, `lastModified` BIGINT,\n"
            ]),
        nextcloudNews.version(
            "28.4", replacing: ["categories CLOB": "filtered BOOLEAN DEFAULT 0 NOT NULL, categories CLOB"]),
        nextcloudNews.version(
            "28.7",
            replacing: ["categories CLOB": "filtered BOOLEAN DEFAULT 0 NOT NULL, categories_json CLOB"]),
        newsboat.version(
            "2.36",
            replacing: [
                "base VARCHAR(128) NOT NULL DEFAULT ''": """
                base VARCHAR(128) NOT NULL DEFAULT '', content_mime_type VARCHAR(255) NOT NULL DEFAULT '',
                enclosure_description VARCHAR(1024) NOT NULL DEFAULT '',
                enclosure_description_mime_type VARCHAR(128) NOT NULL DEFAULT ''
                """
            ]),
        liferea.version(
            "1.16.10",
            replacing: [
                "CREATE TABLE info":
                    "CREATE TABLE update_state (node_id STRING PRIMARY KEY, etag STRING); CREATE TABLE info",
                "DELETE FROM node WHERE":
                    "DELETE FROM update_state WHERE node_id = old.node_id; DELETE FROM node WHERE",
            ]),
        fusion.version(
            "with bookmarks.feed_id",
            replacing: [
                "feed_name TEXT": "feed_id INTEGER REFERENCES feeds(id) ON DELETE SET NULL, feed_name TEXT"
            ]),
    ]

    /// The app with another schema. Each key is in this one.
    private func version(_ version: String, replacing texts: [String: String]) -> AppStore {
        let schema = texts.reduce(schema) { text, change in
            precondition(text.contains(change.key), "\(preset) has no \(change.key)")
            return text.replacing(change.key, with: change.value)
        }
        return AppStore(
            preset: preset, schema: schema, rows: rows, table: table, shown: shown, version: version)
    }

    /// What the preset's rule does with a row, as an event of a trigger.
    var event: String {
        ["newsboat", "rssguard", "quiterss", "fusion"].contains(preset) ? "UPDATE" : "DELETE"
    }

    var testDescription: String { version.isEmpty ? preset : "\(preset) \(version)" }

    /// The SQL that makes it.
    var sql: String { schema + rows }

    /// An SQL expression: the time so many days ago, in seconds since 1970.
    static func ago(_ days: Int) -> String { "(unixepoch() - \(days) * 86400 - 3600)" }
}
