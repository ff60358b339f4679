import Foundation
import PolicyFile
import Retention
import Testing

/// A preset is for one kind of store.
struct PresetFormatTests {
    private static func preset(_ keys: String, schema: String = "catalog = \"table entries\"") -> String {
        """
        app = "Miniflux"
        versions = "2"
        tested_with = "nothing"
        \(keys)
        [[schema]]
        versions = "2"
        \(schema)
        [rule.entries]
        table = "entries"
        age_column = "published_at"
        keep = "60d"

        """
    }
    private static let url = "url = \"postgresql:///miniflux\""
    private static let sql = "sql = \"CREATE TABLE entries (published_at)\""

    private func read(store: String, _ presets: [(name: String, text: String)]) throws -> Configuration {
        let directory = try ConfigurationDirectory(main: "[store.news]\n\(store)\npreset = \"miniflux\"\n")
        for preset in presets { try directory.preset(preset.name, preset.text) }
        return try directory.read()
    }

    @Test("one with a url has the catalog of a PostgreSQL database, and its rules and schema are the store's")
    func postgresql() throws {
        let configuration = try read(
            store: "url = \"host=db dbname=news\"", [("miniflux", Self.preset(Self.url))])
        let store = try #require(configuration.policy.stores.first)
        #expect(store.place == "host=db dbname=news", "the preset's url is only an example")
        #expect(store.gate?.schemas == [.init(versions: "2", text: "table entries")])
        #expect(store.gate?.preset == "miniflux")
        #expect(configuration.policy.rules.map(\.name) == ["news-entries"])
        let text = PolicyFile.render(configuration.policy, systemTimeZone: .gmt)
        #expect(try Configuration(rendered: text, systemTimeZone: .gmt).policy == configuration.policy)
    }

    @Test("the kind of one without an example is that of its first schema")
    func withoutExample() throws {
        let presets = [("miniflux", Self.preset("")), ("lite", Self.preset("", schema: Self.sql))]
        #expect(try read(store: "url = \"host=h\"", presets).policy.stores[0].format == .postgresql)
        let directory = try ConfigurationDirectory(main: nil)
        for (name, text) in presets { try directory.preset(name, text) }
        let library = ConfigurationFiles(directory.main).presets()
        let formats = try library.names().map { try library.preset(named: $0)?.format }
        #expect(formats == [.sqlite, .postgresql])
    }

    @Test(
        "the other kind of store is refused, and the preset of the same app for it is named",
        arguments: [
            ("path = \"/x.db\"", url, "PostgreSQL", "path", sql, "path = \"x.db\"", "SQLite"),
            (
                "url = \"host=h\"", "path = \"x.db\"", "SQLite", "url", "catalog = \"t\"", url,
                "PostgreSQL"
            ),
        ])
    func otherFormat(
        store: String, keys: String, kind: String, key: String, schema: String, other: String, wanted: String
    ) throws {
        let own = Self.preset(keys, schema: schema == Self.sql ? "catalog = \"t\"" : Self.sql)
        let fitting = Self.preset(other, schema: schema)
        let stranger = fitting.replacing("Miniflux", with: "Another")
        let error = #expect(throws: PolicyFileError.self) {
            try read(
                store: store,
                [("miniflux", own), ("a-stranger", stranger), ("b-broken", "app"), ("other", fitting)])
        }
        #expect(
            error?.description.hasSuffix(
                "store.news.preset = \"miniflux\": is for a \(kind) database, and the store has \(key)")
                == true)
        #expect(error?.hint == "write preset = \"other\", which is for Miniflux with \(wanted)")
        let alone = #expect(throws: PolicyFileError.self) { try read(store: store, [("miniflux", own)]) }
        #expect(alone?.hint == "`pruned presets` lists the presets with their kinds")
    }

    @Test("a store without a place is told so, whatever its preset says")
    func noPlace() throws {
        let error = #expect(throws: PolicyFileError.self) {
            try read(store: "", [("miniflux", Self.preset(Self.url))])
        }
        #expect(error?.reason == "has no path and no url")
    }

    @Test(
        "one that is for both kinds, or has a password, is refused",
        arguments: [
            (
                url + "\npath = \"x.db\"", "catalog = \"t\"",
                "url = \"postgresql:///miniflux\": cannot be combined"
            ),
            (
                url, sql,
                "schema.1.sql = \"CREATE TABLE entries (published_at)\": does not describe a PostgreSQL"
            ),
            ("path = \"x.db\"", "catalog = \"t\"", "schema.1.catalog = \"t\": does not describe a SQLite"),
            (url, "sql = \"x\"\ncatalog = \"t\"", "does not describe a PostgreSQL"),
            (url, "", "schema.1: has no catalog"),
            ("url = \"miniflux\"", "catalog = \"t\"", "url = \"***\": is not a connection string"),
            (
                "url = \"postgresql://u:geheim@h/db\"", "catalog = \"t\"",
                "url = \"postgresql://u:***@h/db\": has a password"
            ),
        ])
    func refused(keys: String, schema: String, message: String) throws {
        let error = #expect(throws: PolicyFileError.self) {
            try read(store: "url = \"host=h\"", [("miniflux", Self.preset(keys, schema: schema))])
        }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }
}
