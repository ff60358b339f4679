import Foundation
import PolicyFile
import Retention
import Testing

/// A preset is for one kind of store.
struct PresetFormatTests {
    private static func preset(_ keys: String, schema: String = "tables = \"table entries\"") -> String {
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

    private func read(store: String, _ presets: [(name: String, text: String)]) throws -> Configuration {
        let directory = try ConfigurationDirectory(main: "[store.news]\n\(store)\npreset = \"miniflux\"\n")
        for preset in presets { try directory.preset(preset.name, preset.text) }
        return try directory.read()
    }

    @Test("one with a url is for a PostgreSQL database, and its rules and schema are the store's")
    func postgresql() throws {
        let configuration = try read(
            store: "url = \"host=db dbname=news\"", [("miniflux", Self.preset(Self.url))])
        let store = try #require(configuration.policy.stores.first)
        #expect(store.place == "host=db dbname=news", "the preset's url is only an example")
        #expect(store.gate?.known == [.init(versions: "2", StoreSchema([.init("entries")]))])
        #expect(store.gate?.preset == "miniflux")
        #expect(configuration.policy.rules.map(\.name) == ["news-entries"])
        let text = PolicyFile.render(configuration.policy, systemTimeZone: .gmt)
        #expect(try Configuration(rendered: text, systemTimeZone: .gmt).policy == configuration.policy)
    }

    @Test("one without an example is for a SQLite database")
    func withoutExample() throws {
        let presets = [("miniflux", Self.preset("")), ("server", Self.preset(Self.url))]
        #expect(try read(store: "path = \"/x.db\"", presets).policy.stores[0].format == .sqlite)
        let directory = try ConfigurationDirectory(main: nil)
        for (name, text) in presets { try directory.preset(name, text) }
        let library = ConfigurationFiles(directory.main).presets()
        let formats = try library.names().map { try library.preset(named: $0)?.format }
        #expect(formats == [.sqlite, .postgresql])
    }

    @Test(
        "the other kind of store is refused, and the preset of the same app for it is named",
        arguments: [
            ("path = \"/x.db\"", url, "PostgreSQL", "path", "path = \"x.db\"", "SQLite"),
            ("url = \"host=h\"", "path = \"x.db\"", "SQLite", "url", url, "PostgreSQL"),
        ])
    func otherFormat(
        store: String, keys: String, kind: String, key: String, other: String, wanted: String
    ) throws {
        let (own, fitting) = (Self.preset(keys), Self.preset(other))
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
        "one that is for both kinds, has a password, or a schema that is none, is refused",
        arguments: [
            (
                url + "\npath = \"x.db\"", "tables = \"table t\"",
                "url = \"postgresql:///miniflux\": cannot be combined"
            ),
            ("path = \"x.db\"", "sql = \"CREATE TABLE t (x)\"", "schema.1.sql: is no key any more"),
            (url, "catalog = \"table t\"", "schema.1.catalog: is no key any more"),
            (
                url, "tables = \"CREATE TABLE t (x)\"",
                "schema.1: tables, line 1: it stands before the first table"
            ),
            (url, "", "schema.1: has no tables"),
            ("url = \"miniflux\"", "tables = \"table t\"", "url = \"***\": is not a connection string"),
            (
                "url = \"postgresql://u:geheim@h/db\"", "tables = \"table t\"",
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
