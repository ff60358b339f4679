import Foundation
import PolicyFile
import Retention
import TestSupport
import Testing

/// What pruned.toml(5) says of the keys.
struct ManualTests {
    /// The kinds of table with their keys, from the source, as the page calls them.
    private static func tables() throws -> [String: Set<String>] {
        let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardized
        let source = try ["PolicyFile", "Retention"].flatMap { target in
            try FileManager.default.contentsOfDirectory(
                at: sources.appending(path: target), includingPropertiesForKeys: nil)
        }
        .filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let enums = source.matches(
            of: /\/\/\/ (.*)\n(?:package )?enum \w+: String, PolicyKey \{\n((?: .*\n)+)\}/
        )
        #expect(
            enums.count == source.matches(of: /: String, PolicyKey\b/).count, "a kind that is not understood")
        return Dictionary(
            uniqueKeysWithValues: enums.map { match in
                let title =
                    match.output.1.firstMatch(of: /`(.*?)`/).map { String($0.output.1) } ?? "Top level"
                let keys = match.output.2.matches(of: /case `?(\w+)`?(?: = "(\w+)")?/).map {
                    String($0.output.2 ?? $0.output.1)
                }
                return (title, Set(keys))
            })
    }

    @Test("each key stands in its place in the page, and no other does")
    func keys() throws {
        let page = try ManualPage("pruned.toml.5")
        var tables = try Self.tables()
        #expect(tables.count >= 6 && tables.values.joined().count > 25)
        let preset = tables.removeValue(forKey: "presets/NAME.toml") ?? []
        #expect(preset.subtracting(page.text.matches(of: /\w+/).map { String($0.output) }) == [])
        let own = Set(page.items("PRESETS").flatMap(\.names))
        #expect(own.subtracting(preset) == [])
        #expect(preset.subtracting(own).subtracting(tables["[store.NAME]"] ?? []) == ["rule"])
        #expect(Set(page.parts("KEYS").map(\.title)).subtracting([""]) == Set(tables.keys))
        for (table, keys) in tables {
            let documented = Set(page.items("KEYS", table).flatMap(\.names))
            #expect(keys.subtracting(documented) == [], "\(table): undocumented")
            #expect(documented.subtracting(keys) == [], "\(table): no such key")
        }
    }

    @Test(
        "each key has a type, a default, and an example that is read; the default is what holds without the key"
    )
    func typesDefaultsAndExamples() throws {
        let page = try ManualPage("pruned.toml.5")
        var defaults = 0
        for part in page.parts("KEYS") {
            for item in part.items where item.names.count == 1 {
                let key = item.names[0]
                let place: Comment = "\(part.title) \(key)"
                #expect(item.lines.contains(".Em Type :"), place)
                let example = try #require(item.lines.last { $0.hasPrefix(".Dl \(key) = ") }, place)
                #expect(Self.accepts(String(example.dropFirst(4)), of: key, in: part.title), place)
                let start = try #require(item.lines.firstIndex(of: ".Em Default :"), place)
                let value = item.lines[start + 1]
                guard value.hasPrefix(".Li "), value != ".Li [guard] ." else { continue }
                defaults += 1
                let line = "\(key) = \(value.dropFirst(4).dropLast(2))"
                #expect(Self.changesNothing(line, of: key, in: part.title), place)
            }
        }
        #expect(defaults >= 9)
    }

    @Test("the page's example is a policy that is read")
    func example() throws {
        let lines = try ManualPage("pruned.toml.5").parts("EXAMPLES")[0].lines
        let start = try #require(lines.firstIndex(of: ".Bd -literal -offset indent"))
        let end = try #require(lines.firstIndex(of: ".Ed"))
        let policy = try parse(lines[(start + 1)..<end].joined(separator: "\n"))
        #expect(policy.rules.map(\.name) == ["log", "sessions"])
    }

    /// Files that may have the key, without it, and where in them it may stand.
    private static func files(for key: String, in table: String) -> [(before: String, after: String)] {
        let place =
            ["url", "max_lag", "max_slot_wal", "partitions", "prefixes", "schemas"].contains(key)
            ? "url = \"host=h\"" : "path = \"r\""
        let isPlace = table == "[store.NAME]" && ["path", "paths", "url"].contains(key)
        let store = "[store.reader]\n" + (isPlace ? "" : place + "\n")
        switch table {
        case "Top level": return [("", store + "[rule.r]\ntable = \"t\"\n" + enough)]
        case "[store.NAME]":
            let table = ["prefixes": "{prefix}t", "schemas": "{schema}.t"][key] ?? "t"
            let rule = "[rule.r]\ntable = \"\(table)\"\n" + enough
            return [(store, rule), (store + "preset = \"newsboat\"\n", rule)]
        case "[[store.NAME.schema]]":
            let other = key == "versions" ? "tables = \"table t\"\n" : "versions = \"1\"\n"
            return [
                (store + "[[store.reader.schema]]\n" + other, "[rule.r]\ntable = \"t\"\n" + enough)
            ]
        case "[rule.NAME]":
            let age = ["table = \"t\"", "age_column = \"at\"", "keep = \"30d\""]
            let others = [
                [], ["archive = true"], ["unit = \"iso8601\""], ["keep_last = 5"],
            ]
            let deadline = ["table = \"t\"", "expires_column = \"until\""]
            return ([deadline] + others.map { age + $0 }).map { lines in
                let others = lines.filter { !$0.hasPrefix(key + " = ") }
                return (store + "[rule.r]\n" + others.joined(separator: "\n") + "\n", "")
            }
        case "action": return [(store + "[rule.r]\ntable = \"t\"\n" + enough + "\n[rule.r.action]\n", "")]
        case "dependents", "orphans_of":
            let lines = (table == "dependents" ? ["table", "column"] : ["column", "key"]).filter { $0 != key }
                .map { "\($0) = \"x.y\"" }
            let head = table == "dependents" ? "[[rule.r.dependents]]\n" : "[rule.r.orphans_of]\n"
            return [
                (
                    store + "[rule.r]\ntable = \"t\"\n" + enough + "\n" + head + lines.joined(separator: "\n")
                        + "\n", ""
                )
            ]
        case "tombstone":
            let lines = ["table = \"g\"", "columns = { h = \"i\" }"].filter { !$0.hasPrefix(key + " = ") }
            let head = store + "[rule.r]\ntable = \"t\"\n" + enough + "\n[rule.r.tombstone]\n"
            return [(head + lines.joined(separator: "\n") + "\n", "")]
        default: return [(store + "[rule.r]\ntable = \"t\"\n" + enough + "\n" + table + "\n", "")]
        }
    }

    /// The policy in `text`, read beside a preset called newsboat.
    private static func read(_ text: String) throws -> RetentionPolicy {
        let directory = try ConfigurationDirectory(main: text)
        try directory.preset(
            "newsboat",
            """
            app = "a"
            versions = "1"
            tested_with = "nothing"
            prefix = "p_"
            schema = [{ versions = "1", tables = "table t" }]
            """)
        return try directory.read().policy
    }

    private static func accepts(_ line: String, of key: String, in table: String) -> Bool {
        files(for: key, in: table).contains { (try? read($0.before + line + "\n" + $0.after)) != nil }
    }

    /// Whether a file, wherever it may have the line, says the same with it as without.
    private static func changesNothing(_ line: String, of key: String, in table: String) -> Bool {
        let pairs = files(for: key, in: table).compactMap { file -> (RetentionPolicy, RetentionPolicy)? in
            guard let with = try? read(file.before + line + "\n" + file.after),
                let without = try? read(file.before + file.after)
            else { return nil }
            return (with, without)
        }
        return !pairs.isEmpty && pairs.allSatisfy { $0 == $1 }
    }
}
