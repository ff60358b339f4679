extension RuleSample {
    /// The rule as a table of a configuration.
    func configuration(_ name: String, store: String) -> String {
        var lines = ["[rule.\(name)]", "store = \(Self.text(store))"]
        func set(_ key: String, _ value: String?) {
            if let value { lines.append("\(key) = \(value)") }
        }
        func list(_ key: String, _ values: [String]) {
            guard !values.isEmpty else { return }
            let texts = values.map(Self.text)
            set(key, texts.count == 1 ? texts[0] : "[\(texts.joined(separator: ", "))]")
        }
        let column = Self.text(names.plain("at"))
        set("table", Self.text(names.configured(table: "t")))
        switch rule.kind {
        case .age:
            set("age_column", column)
            set("keep", rule.span.map { Self.text($0.text) })
        case .deadline:
            set("expires_column", column)
            set("grace", rule.span.map { Self.text($0.text) })
        case .orphan: break
        }
        if rule.kind != .orphan {
            set("unit", format.unit.map(Self.text))
            set("epoch", format.epoch.map(Self.text))
            set("column_zone", format.zone.map { Self.text($0.name) })
        }
        set("where", rule.condition.map { Self.text($0.sql(names)) })
        // A condition that stands there twice is refused.
        var protections: [String] = []
        for text in rule.protect.map({ $0.sql(names) }) where !protections.contains(text) {
            protections.append(text)
        }
        list("protect", protections)
        set("keep_last", rule.keepLast.map(String.init))
        list("keep_last_per", rule.keepLastPer.map(names.plain))
        list("kept_by", rule.keepers.map { "\(names.configured(table: "k\($0)")).\(names.plain("item"))" })
        if !rule.mark.isEmpty {
            let values = rule.mark.map { "\(Self.text(names.plain($0.column))) = \(Self.constant($0.value))" }
            set("action", "{ set = { \(values.joined(separator: ", ")) } }")
        } else if !children.isEmpty {
            let tables = children.indices.map { Self.text(names.configured(table: "u\($0 + 1)")) }
            set("dependents", "[\(tables.joined(separator: ", "))]")
        }
        if let tombstone = rule.tombstone {
            let hash = Self.text(names.plain("hash"))
            let condition = tombstone.condition.map { ", where = \(Self.text($0.sql(names)))" } ?? ""
            set(
                "tombstone",
                "{ table = \(Self.text(names.configured(table: "gone"))), columns = { \(hash) = \(hash) }\(condition) }"
            )
        }
        if rule.archives { set("archive", "true") }
        if rule.hasIdentity { list("identity", ["tag"]) }
        if rule.isQuiet { set("quiet", "true") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A constant of SQL as one of TOML.
    private static func constant(_ sql: String) -> String {
        sql.hasPrefix("'") ? text(String(sql.dropFirst().dropLast()).replacing("''", with: "'")) : sql
    }

    /// A string of TOML.
    static func text(_ text: String) -> String {
        let characters = text.unicodeScalars.map { character in
            switch character {
            case "\"": "\\\""
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\t": "\\t"
            default: String(character)
            }
        }
        return "\"\(characters.joined())\""
    }
}
