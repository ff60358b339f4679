import Retention
import TerminalText

/// Reads one table of the configuration by its known keys. If several files have the table, each key has the value of
/// the last file that sets it.
///
/// The table of an existing reader has no unknown keys. The reading functions return nil when the key is missing, and
/// throw when its value has another type.
struct TableReader<Key: PolicyKey> {
    /// The table in each file that has it; never empty.
    private let layers: [ParsedFile]
    private let path: [String]

    /// Throws at the first key that is not a ``Key``.
    init(_ layers: [ParsedFile], at path: [String]) throws(PolicyFileError) {
        self.layers = layers
        self.path = path
        let known = Key.allCases.map(\.rawValue)
        for layer in layers {
            for name in layer.table.keys where Key(rawValue: name) == nil {
                if let successor = Key.successor(of: name, in: path) {
                    throw error(in: layer, at: [name], value: nil, "is no key any more", hint: successor)
                }
                let hint = known.nearest(to: name).map { "did you mean \"\($0)\"?" }
                throw error(
                    in: layer, at: [name], value: nil, "unknown key",
                    hint: hint ?? "known here: \(known.joined(separator: ", "))")
            }
        }
    }

    /// A string that is not empty.
    func string(_ key: Key) throws(PolicyFileError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string else {
            throw wrongType(key, "a string", hint: "put it in double quotes")
        }
        guard !text.isEmpty else {
            throw error(key, "is empty", hint: "give it a value, or leave the key out")
        }
        return text
    }

    /// A span. For a number without a unit, the hint suggests `usualUnit`.
    func span(_ key: Key, usualUnit: Span.Unit) throws(PolicyFileError) -> Span? {
        guard let value = value(key) else { return nil }
        if let number = value.integer {
            throw error(
                key, "a number needs a unit", hint: "write \"\(number.magnitude)\(usualUnit.rawValue)\"")
        }
        guard let text = try string(key) else { return nil }
        do {
            return try Span(parsing: text)
        } catch .noUnit(let digits) {
            throw error(key, "a number needs a unit", hint: "write \"\(digits)\(usualUnit.rawValue)\"")
        } catch {
            throw self.error(key, error.reason, hint: error.hint)
        }
    }

    /// `true` or `false`.
    func bool(_ key: Key) throws(PolicyFileError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let bool = value.bool else {
            throw wrongType(key, "true or false", hint: "write it without quotes")
        }
        return bool
    }

    /// A number of bytes with its unit.
    func size(_ key: Key) throws(PolicyFileError) -> ByteCount? {
        guard let text = try string(key) else { return nil }
        guard let size = ByteCount(text) else {
            throw error(
                key, "is not a size", hint: "write a whole number and B, kB, MB or GB, such as \"500MB\"")
        }
        return size
    }

    /// A whole number.
    func integer(_ key: Key) throws(PolicyFileError) -> Int64? {
        guard let value = value(key) else { return nil }
        guard let number = value.integer else {
            throw wrongType(
                key, "a whole number", hint: "write it without quotes and without a decimal point")
        }
        return number
    }

    /// A number, with or without a decimal point.
    func number(_ key: Key) throws(PolicyFileError) -> Double? {
        guard let value = value(key) else { return nil }
        guard let number = value.float ?? value.integer.map(Double.init) else {
            throw wrongType(key, "a number", hint: "write it without quotes, such as 0.5")
        }
        return number
    }

    /// An array of strings, without empty ones and duplicates.
    func strings(_ key: Key) throws(PolicyFileError) -> [String]? {
        guard let value = value(key) else { return nil }
        let hint = "write strings in brackets, each once: [\"a\", \"b\"]"
        guard let array = value.array else { throw wrongType(key, "an array of strings", hint: hint) }
        return try strings(array, of: key, hint: hint)
    }

    private func strings(
        _ array: [TOMLValue], of key: Key, hint: String
    ) throws(PolicyFileError) -> [String] {
        var strings: [String] = []
        for element in array {
            guard let text = element.string, !text.isEmpty else {
                throw error(
                    key, "contains something that is not a string with text: \(element.written)", hint: hint)
            }
            guard !strings.contains(text) else {
                throw error(key, "holds \(text.quoted) twice", hint: hint)
            }
            strings.append(text)
        }
        return strings
    }

    /// The strings of the array `key`, without empty ones and duplicates, and its tables; empty when the key is missing.
    func stringsAndElements<Inner: PolicyKey>(
        _ key: Key, of: Inner.Type, hint: String
    ) throws(PolicyFileError) -> (strings: [String], elements: [TableReader<Inner>]) {
        guard let value = value(key) else { return ([], []) }
        guard let array = value.array, array.contains(where: { $0.table != nil }) else {
            return (try strings(key) ?? [], [])
        }
        let strings = try strings(array.filter { $0.table == nil }, of: key, hint: hint)
        return (strings, try elements(array.filter { $0.table != nil }, of: key, hint: hint))
    }

    /// One string, or an array of them; empty when the key is missing.
    func stringOrStrings(_ key: Key) throws(PolicyFileError) -> [String] {
        guard let value = value(key) else { return [] }
        if value.array != nil { return try strings(key) ?? [] }
        return try string(key).map { [$0] } ?? []
    }

    /// The keys and values of the inline table `key`; nil when it is missing. The keys are the file's own words, such as
    /// names of columns.
    func entries(_ key: Key, hint: String) throws(PolicyFileError) -> [(key: String, value: TOMLValue)]? {
        guard let value = value(key) else { return nil }
        guard let table = value.table else { throw wrongType(key, "a table", hint: hint) }
        let entries = table.keys.compactMap { key in table[key].map { (key, $0) } }
        guard !entries.isEmpty else { throw error(key, "is empty", hint: hint) }
        return entries
    }

    /// The table `key` in this one.
    func table<Inner: PolicyKey>(_ key: Key, of: Inner.Type) throws(PolicyFileError) -> TableReader<Inner>? {
        let path = path + [key.rawValue]
        let inner = try below(
            key, "a table", hint: "write [\(path.dotted)] on a line of its own, and its keys below")
        return inner.isEmpty ? nil : try TableReader<Inner>(inner, at: path)
    }

    /// The named tables in this one, `[key.NAME]`, by name.
    func tables<Inner: PolicyKey>(
        _ key: Key, of: Inner.Type
    ) throws(PolicyFileError) -> [(name: Name, table: TableReader<Inner>)] {
        let path = path + [key.rawValue]
        let hint = "write [\(path.dotted).NAME] on a line of its own, and its keys below"
        let named = try below(key, "a table of tables", hint: hint)
        var layersByName: [Name: [ParsedFile]] = [:]
        for layer in named {
            for text in layer.table.keys {
                let place = [key.rawValue, text]
                guard let name = Name(text) else {
                    throw error(
                        in: layer, at: place, value: nil, "is not a name",
                        hint:
                            "names have letters, digits, \".\", \"_\" and \"-\", start with a letter or digit, and "
                            + "have at most 64 characters")
                }
                guard let inner = layer.below(text) else {
                    let value = layer.table[text]
                    throw error(
                        in: layer, at: place, value: value?.written,
                        "must be a table" + (value.map { ", not \($0.type)" } ?? ""), hint: hint)
                }
                layersByName[name, default: []].append(inner)
            }
        }
        var tables: [(name: Name, table: TableReader<Inner>)] = []
        for (name, layers) in layersByName.sorted(by: { $0.key < $1.key }) {
            tables.append((name, try TableReader<Inner>(layers, at: path + [name.description])))
        }
        return tables
    }

    /// The tables of the array `key`, `[[key]]`.
    func elements<Inner: PolicyKey>(
        _ key: Key, of: Inner.Type
    ) throws(PolicyFileError) -> [TableReader<Inner>] {
        guard let value = value(key) else { return [] }
        let hint = "write [[\((path + [key.rawValue]).dotted)]] on a line of its own, and its keys below"
        guard let array = value.array else { throw wrongType(key, "an array of tables", hint: hint) }
        return try elements(array, of: key, hint: hint)
    }

    private func elements<Inner: PolicyKey>(
        _ array: [TOMLValue], of key: Key, hint: String
    ) throws(PolicyFileError) -> [TableReader<Inner>] {
        guard let layer = layer(saying: key) else { return [] }
        let path = path + [key.rawValue]
        var elements: [TableReader<Inner>] = []
        for (index, element) in array.enumerated() {
            guard let table = element.table else {
                throw error(key, "contains something that is not a table: \(element.written)", hint: hint)
            }
            let file = ParsedFile(table: table, file: layer.file, name: layer.name)
            elements.append(try TableReader<Inner>([file], at: path + ["\(index + 1)"]))
        }
        return elements
    }

    func value(_ key: Key) -> TOMLValue? {
        layer(saying: key)?.table[key.rawValue]
    }

    /// Whether the key has a preset's value.
    func isOfPreset(_ key: Key) -> Bool { layer(saying: key)?.isPreset ?? false }

    private func layer(saying key: Key) -> ParsedFile? {
        layers.origin(of: [key.rawValue])
    }

    /// The table `key` in each file that has it.
    private func below(_ key: Key, _ wanted: String, hint: String) throws(PolicyFileError) -> [ParsedFile] {
        var inner: [ParsedFile] = []
        for layer in layers {
            guard let value = layer.table[key.rawValue] else { continue }
            guard let table = layer.below(key.rawValue) else {
                throw error(
                    in: layer, at: [key.rawValue], value: value.written,
                    "must be \(wanted), not \(value.type)", hint: hint)
            }
            inner.append(table)
        }
        return inner
    }

    /// An error at `key`, with its value. `other` is a key that conflicts with it; if that is in another file, the
    /// error names the file.
    func error(_ key: Key, beside other: Key? = nil, _ reason: String, hint: String) -> PolicyFileError {
        let layer = layer(saying: key) ?? layers[0]
        var reason = reason
        if let other, let elsewhere = self.layer(saying: other), elsewhere.file != layer.file {
            reason += " (\(other.rawValue) stands in \(elsewhere.name))"
        }
        return error(
            in: layer, at: [key.rawValue], value: layer.table[key.rawValue]?.written(as: key.rawValue),
            reason, hint: hint)
    }

    /// An error of the table as a whole. It names the first file that has the table, and a preset only if no other has
    /// it.
    func error(_ reason: String, hint: String) -> PolicyFileError {
        error(in: layers.first { !$0.isPreset } ?? layers[0], at: [], value: nil, reason, hint: hint)
    }

    /// An error in the combination of several tables. It names the last file that has one of them.
    func error(at paths: [[String]], _ reason: String, hint: String) -> PolicyFileError {
        let files = layers.filter { layer in paths.contains { layer.value(at: $0[...]) != nil } }
        return error(in: files.last ?? layers[0], at: [], value: nil, reason, hint: hint)
    }

    /// An error of the value that is in force at a path of keys below this table.
    func error(ofValueAt path: [String], _ reason: String, hint: String) -> PolicyFileError {
        let layer = layers.origin(of: path) ?? layers[0]
        let value = layer.value(at: path[...])?.written(as: path.last)
        return error(in: layer, at: path, value: value, reason, hint: hint)
    }

    private func wrongType(_ key: Key, _ wanted: String, hint: String) -> PolicyFileError {
        let found = value(key).map { ", not \($0.type)" } ?? ""
        return error(key, "must be \(wanted)\(found)", hint: hint)
    }

    private func error(
        in layer: ParsedFile, at inner: [String], value: String?, _ reason: String, hint: String
    ) -> PolicyFileError {
        let keys = path + inner
        return PolicyFileError(
            file: layer.file, place: keys.isEmpty ? .file : .key(keys.dotted, value: value), reason: reason,
            hint: hint)
    }
}
