/// A line of a schema's text says nothing about a table.
package struct SchemaTextError: Error, Equatable {
    /// From 1 on.
    package let line: Int
    package let reason: String
}

/// The text of a schema has a line for each fact, and is the same for stores of every kind:
///
///     table entries
///       column id number
///       column tags other text[]
///       primary key (id)
///       unique (feed_id, hash)
///       foreign key (feed_id) references feeds (id) on delete cascade
///       trigger noted after delete begin insert into log values (old.id); end
///     table words
///       module fts5 (text)
///
/// Names stand in quotation marks where they are no words. Lines that begin with # are comments, and so are those of SQL.
extension StoreSchema {
    /// Reads such a text, which has at least one table.
    package init(_ text: String) throws(SchemaTextError) {
        let plain = text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.drop { $0 == " " || $0 == "\t" }.hasPrefix("#") ? "" : $0 }.joined(separator: "\n")
        let lines: [(number: Int, words: [String])]
        do throws(SchemaWords.Unfinished) { lines = try SchemaWords.lines(of: plain) } catch {
            throw SchemaTextError(line: error.line, reason: error.reason)
        }
        self.init()
        for (number, words) in lines {
            var fact = Fact(words: words[...])
            let reason: String?
            if fact.take("table") {
                let name = fact.rest.filter { $0 != "." }.map(SchemaWords.name).joined(separator: ".")
                reason =
                    fact.rest.allSatisfy { $0 == "." || SchemaWords.isName($0) } && !name.isEmpty
                    ? tables.contains { $0.name == name } ? "table \(name) is there twice" : nil
                    : "it names no table"
                tables.append(Table(name))
            } else if tables.isEmpty {
                reason = "it stands before the first table"
            } else {
                reason = tables[tables.count - 1].read(&fact) ? nil : "it is no fact of a table"
            }
            if let reason {
                throw SchemaTextError(line: number, reason: "\(reason): \(SchemaWords.joined(words))")
            }
        }
        guard !tables.isEmpty else { throw SchemaTextError(line: 1, reason: "it names no table") }
    }

    /// The text, its tables sorted by name.
    package var text: String { lines.map { $0 + "\n" }.joined() }

    /// The lines of ``text``. A name may have line breaks in it.
    package var lines: [String] {
        tables.sorted { $0.name < $1.name }.flatMap { table in
            ["table \(Self.tableName(table.name))"] + table.facts.map { "  " + SchemaWords.joined($0) }
        }
    }

    fileprivate static func tableName(_ name: String) -> String {
        SchemaWords.joined(Fact.words(ofTable: name))
    }
}

extension StoreSchema.Table {
    /// The words of each fact, but that it is a table.
    fileprivate var facts: [[String]] {
        let columns = columns.map { ["column", $0.name.schemaWord] + $0.type.words }
        let key = primaryKey.isEmpty ? [] : [["primary", "key"] + Fact.words(of: primaryKey)]
        let unique = uniqueKeys.sorted { $0.lexicographicallyPrecedes($1) }.map { ["unique"] + $0 }
        let foreign = foreignKeys.map { ["foreign", "key"] + $0.words }
            .sorted { $0.lexicographicallyPrecedes($1) }
        let triggers = triggers.sorted { $0.name < $1.name }
            .map { ["trigger", $0.name.schemaWord] + $0.words }
        return (module.map { [["module"] + $0] } ?? []) + columns + key + unique + foreign + triggers
    }

    /// Takes one line. Returns whether it is a fact.
    fileprivate mutating func read(_ fact: inout Fact) -> Bool {
        if fact.take("column") {
            guard let name = fact.name(), let type = ColumnClass(&fact),
                !columns.contains(where: { $0.name == name })
            else { return false }
            columns.append(StoreSchema.Column(name, type))
        } else if fact.take("primary", "key") {
            guard let names = fact.names(), fact.rest.isEmpty, primaryKey.isEmpty else { return false }
            primaryKey = names
        } else if fact.take("unique") {
            guard fact.rest.first == "(", fact.rest.contains(")") else { return false }
            uniqueKeys.insert(Self.uniqueKey(Array(fact.rest)))
        } else if fact.take("foreign", "key") {
            guard let key = StoreSchema.ForeignKey(&fact), fact.rest.isEmpty else { return false }
            foreignKeys.insert(key)
        } else if fact.take("trigger") {
            guard let name = fact.name(), !fact.rest.isEmpty else { return false }
            triggers.append(StoreSchema.Trigger(name, Array(fact.rest)))
        } else if fact.take("module") {
            guard !fact.rest.isEmpty, module == nil else { return false }
            module = Array(fact.rest)
        } else {
            return false
        }
        return true
    }
}

extension ColumnClass {
    private static let named: [(String, ColumnClass)] = [
        ("number", .number), ("text", .text), ("boolean", .boolean), ("time", .time), ("bytes", .bytes),
    ]

    fileprivate init?(_ fact: inout Fact) {
        if fact.take("other") {
            self = .other(SchemaWords.joined(Array(fact.rest)))
            return
        }
        guard let named = Self.named.first(where: { fact.take($0.0) }), fact.rest.isEmpty else { return nil }
        self = named.1
    }

    fileprivate var words: [String] {
        if case .other(let name) = self { return name.isEmpty ? ["other"] : ["other", name] }
        return Self.named.filter { $0.1 == self }.map(\.0)
    }
}

extension StoreSchema.ForeignKey {
    /// As the text of a schema has it.
    package var text: String { SchemaWords.joined(words) }

    fileprivate var words: [String] {
        let target = parentColumns.isEmpty ? [] : Fact.words(of: parentColumns)
        let actions = [("delete", onDelete), ("update", onUpdate)].filter { $0.1 != .none }
        return Fact.words(of: columns) + ["references"] + Fact.words(ofTable: parent) + target
            + actions.flatMap { ["on", $0.0, $0.1.rawValue] }
    }

    fileprivate init?(_ fact: inout Fact) {
        guard let columns = fact.names(), fact.take("references"), let parent = fact.table() else {
            return nil
        }
        let target = fact.rest.first == "(" ? fact.names() : []
        guard let target else { return nil }
        var actions: [String: Action] = [:]
        while fact.take("on") {
            let event = ["delete", "update"].first { fact.take($0) }
            let action = Action.allCases.first { action in
                let words = action.rawValue.split(separator: " ").map(String.init)
                return fact.take(words)
            }
            guard let event, let action, actions.updateValue(action, forKey: event) == nil else { return nil }
        }
        self.init(
            columns, to: parent, target, onDelete: actions["delete"] ?? .none,
            onUpdate: actions["update"] ?? .none)
    }
}

/// The words of a line that are not read yet.
private struct Fact {
    var rest: ArraySlice<String>

    init(words: ArraySlice<String>) { rest = words }

    mutating func take(_ words: String...) -> Bool { take(words) }

    mutating func take(_ words: [String]) -> Bool {
        guard rest.prefix(words.count).map(\.lowercasedASCII) == words else { return false }
        rest = rest.dropFirst(words.count)
        return true
    }

    mutating func name() -> String? {
        guard let word = rest.first, SchemaWords.isName(word) else { return nil }
        rest = rest.dropFirst()
        return SchemaWords.name(word)
    }

    /// Names between commas, in parentheses.
    mutating func names() -> [String]? {
        guard take("(") else { return nil }
        var names: [String] = []
        repeat {
            guard let name = name() else { return nil }
            names.append(name)
        } while take(",")
        return take(")") ? names : nil
    }

    /// Names between dots.
    mutating func table() -> String? {
        var names: [String] = []
        repeat {
            guard let name = name() else { return nil }
            names.append(name)
        } while take(".")
        return names.joined(separator: ".")
    }

    static func words(of names: [String]) -> [String] {
        ["("] + names.map { [$0.schemaWord] }.joined(separator: [","]) + [")"]
    }

    static func words(ofTable name: String) -> [String] {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !parts.contains("") else { return [name.schemaWord] }
        return Array(parts.map { [$0.schemaWord] }.joined(separator: ["."]))
    }
}
