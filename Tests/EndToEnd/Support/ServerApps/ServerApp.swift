import Foundation
import TestSupport
import Testing

/// A PostgreSQL database as an app makes it, with rows of each kind that its preset deletes or must keep.
///
/// A row's title begins with its fate: "goes" or "stays".
struct ServerApp: Sendable, CustomTestStringConvertible {
    /// The name of its preset.
    let preset: String
    /// The name of the preset's rule.
    let rule: String
    /// The app's tables, with the defaults and the indexes that a gate does not ask for.
    let schema: String
    let rows: String
    /// The table that the preset's rule prunes.
    let table: String
    /// The titles that the app shows.
    let shown: String

    static let all =
        [miniflux, minifluxStatus, freshRSS, nextcloudNews, stringer] + [ttRSS].compactMap(\.self)

    /// Which version's ``schema`` it is, where there are several.
    var version = ""

    /// The same apps of other versions, as their preset knows them.
    static let versions =
        [
            freshRSS.version(
                "1.20",
                replacing: [
                    "guid varchar(767)": "guid varchar(760)", "title varchar(8192)": "title varchar(255)",
                    "\"lastSeen\" bigint": "\"lastSeen\" int", "date bigint": "date int",
                ]),
            freshRSS.version(
                "1.28",
                replacing: [
                    "tags varchar(2048), attributes text,":
                        "tags varchar(2048), attributes text, \"lastUserModified\" bigint DEFAULT 0, \"lastModified\" bigint,"
                ]),
            miniflux.version("2.3.2", replacing: ["md5(url)": "encode(sha256(url::bytea), 'hex')"]),
            miniflux.version(
                "2.3.3",
                replacing: [
                    "md5(url)": "encode(sha256(url::bytea), 'hex')",
                    "tags text[] DEFAULT '{}'": "tags text[] DEFAULT '{}', language text NOT NULL DEFAULT ''",
                ]),
            nextcloudNews.version(
                "28.4",
                replacing: ["categories text": "filtered boolean NOT NULL DEFAULT false, categories text"]),
            nextcloudNews.version(
                "28.7",
                replacing: [
                    "categories text": "filtered boolean NOT NULL DEFAULT false, categories_json json"
                ]),
            stringer.version(
                "with times that are given",
                replacing: [
                    "created_at timestamp(6), updated_at timestamp(6)":
                        "created_at timestamp(6) NOT NULL DEFAULT now(), updated_at timestamp(6) NOT NULL DEFAULT now()"
                ]),
        ]
        + [
            ttRSS?.version(
                "schema 151",
                replacing: [
                    "auth_pass varchar(250)": "favicon_is_custom boolean, auth_pass text"
                ])
        ].compactMap(\.self)

    /// The app with another schema. Each key is in this one.
    private func version(_ version: String, replacing texts: [String: String]) -> ServerApp {
        let schema = texts.reduce(schema) { text, change in
            precondition(text.contains(change.key), "\(preset) has no \(change.key)")
            return text.replacing(change.key, with: change.value)
        }
        return ServerApp(
            preset: preset, rule: rule, schema: schema, rows: rows, table: table, shown: shown,
            version: version)
    }

    /// The app with tables of another prefix than `prefix`.
    func named(_ other: String, insteadOf prefix: String) throws -> ServerApp {
        let name = try Regex<(Substring, Substring)>("\"?\(prefix)(\\w*)\"?")
        let renamed = { (sql: String) in
            sql.replacing(name) { "\"\(other)\($0.output.1)\"" }
        }
        return ServerApp(
            preset: preset, rule: rule, schema: renamed(schema), rows: renamed(rows), table: renamed(table),
            shown: renamed(shown))
    }

    var testDescription: String { version.isEmpty ? preset : "\(preset) \(version)" }

    /// An SQL expression: the time so many days ago.
    static func ago(_ days: Int) -> String { "(now() - interval '\(days) days 1 hour')" }

    /// The same in seconds since 1970.
    static func secondsAgo(_ days: Int) -> String { "floor(extract(epoch FROM \(ago(days))))::bigint" }

    /// The same as a time without a zone, in UTC.
    static func localAgo(_ days: Int) -> String { "\(ago(days)) AT TIME ZONE 'UTC'" }
}
