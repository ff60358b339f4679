import Retention
import TOMLKit

/// One table of the file, read by the keys that it may have.
///
/// A reader that exists has no other keys. Each reading function gives nil when its key is missing and throws
/// when the value is of another type.
struct TableReader<Key: PolicyKey> {
    private let table: TOMLTable
    private let path: [String]
    private let file: String

    /// Throws at the first key that is not a ``Key``.
    init(_ table: TOMLTable, at path: [String], in file: String) throws(PolicyFileError) {
        self.table = table
        self.path = path
        self.file = file
        let known = Key.allCases.map(\.rawValue)
        for name in table.keys where Key(rawValue: name) == nil {
            let hint = known.nearest(to: name).map { "did you mean \"\($0)\"?" }
            throw error(
                at: [name], value: nil, "unknown key",
                hint: hint ?? "known here: \(known.joined(separator: ", "))")
        }
    }

    /// A string, not empty.
    func string(_ key: Key) throws(PolicyFileError) -> String? {
        guard let value = table[key.rawValue] else { return nil }
        guard let text = value.string else {
            throw wrongType(key, "a string", hint: "put it in double quotes")
        }
        guard !text.isEmpty else {
            throw error(key, "is empty", hint: "give it a value, or leave the key out")
        }
        return text
    }

    /// A span. A number without a unit gets `usualUnit` in the hint.
    func span(_ key: Key, usualUnit: Span.Unit) throws(PolicyFileError) -> Span? {
        guard let value = table[key.rawValue] else { return nil }
        if let number = value.int {
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
        guard let value = table[key.rawValue] else { return nil }
        guard let bool = value.bool else {
            throw wrongType(key, "true or false", hint: "write it without quotes")
        }
        return bool
    }

    /// A whole number.
    func integer(_ key: Key) throws(PolicyFileError) -> Int64? {
        guard let value = table[key.rawValue] else { return nil }
        guard let number = value.int else {
            throw wrongType(
                key, "a whole number", hint: "write it without quotes and without a decimal point")
        }
        return Int64(number)
    }

    /// A number, with or without a decimal point.
    func number(_ key: Key) throws(PolicyFileError) -> Double? {
        guard let value = table[key.rawValue] else { return nil }
        guard let number = value.double ?? value.int.map(Double.init) else {
            throw wrongType(key, "a number", hint: "write it without quotes, such as 0.5")
        }
        return number
    }

    /// An array of strings, none empty and none twice.
    func strings(_ key: Key) throws(PolicyFileError) -> Set<String>? {
        guard let value = table[key.rawValue] else { return nil }
        let hint = "write strings in brackets, each once: [\"a\", \"b\"]"
        guard let array = value.array else { throw wrongType(key, "an array of strings", hint: hint) }
        var strings: Set<String> = []
        for element in array {
            guard let text = element.string, !text.isEmpty else {
                throw error(key, "holds what is not a name: \(element.written)", hint: hint)
            }
            guard strings.insert(text).inserted else {
                throw error(key, "holds \(text.quoted) twice", hint: hint)
            }
        }
        return strings
    }

    /// The table below this one.
    func table<Inner: PolicyKey>(_ key: Key, of: Inner.Type) throws(PolicyFileError) -> TableReader<Inner>? {
        guard let value = table[key.rawValue] else { return nil }
        let path = path + [key.rawValue]
        guard let table = value.table else {
            throw wrongType(
                key, "a table", hint: "write [\(path.dotted)] on a line of its own, and its keys below")
        }
        return try TableReader<Inner>(table, at: path, in: file)
    }

    /// The named tables below this one, `[key.NAME]`, by name.
    func tables<Inner: PolicyKey>(
        _ key: Key, of: Inner.Type
    ) throws(PolicyFileError) -> [(name: Name, table: TableReader<Inner>)] {
        guard let value = table[key.rawValue] else { return [] }
        let path = path + [key.rawValue]
        let hint = "write [\(path.dotted).NAME] on a line of its own, and its keys below"
        guard let named = value.table else { throw wrongType(key, "a table of tables", hint: hint) }
        var tables: [(name: Name, table: TableReader<Inner>)] = []
        for text in named.keys {
            let place = [key.rawValue, text]
            guard let name = Name(text) else {
                throw error(
                    at: place, value: nil, "is not a name",
                    hint:
                        "names have letters, digits, \".\", \"_\" and \"-\", start with a letter or digit, and have "
                        + "at most 64 characters")
            }
            guard let inner = named[text] else { continue }
            guard let table = inner.table else {
                throw error(
                    at: place, value: inner.written, "must be a table, not \(inner.type.named)", hint: hint)
            }
            tables.append((name, try TableReader<Inner>(table, at: path + [text], in: file)))
        }
        return tables
    }

    /// An error at `key`, with its value.
    func error(_ key: Key, _ reason: String, hint: String) -> PolicyFileError {
        error(at: [key.rawValue], value: table[key.rawValue]?.written, reason, hint: hint)
    }

    /// An error of the table as a whole.
    func error(_ reason: String, hint: String) -> PolicyFileError {
        error(at: [], value: nil, reason, hint: hint)
    }

    private func wrongType(_ key: Key, _ wanted: String, hint: String) -> PolicyFileError {
        let found = table[key.rawValue].map { ", not \($0.type.named)" } ?? ""
        return error(key, "must be \(wanted)\(found)", hint: hint)
    }

    private func error(
        at inner: [String], value: String?, _ reason: String, hint: String
    ) -> PolicyFileError {
        let keys = path + inner
        return PolicyFileError(
            file: file, place: keys.isEmpty ? .file : .key(keys.dotted, value: value), reason: reason,
            hint: hint)
    }
}

extension [String] {
    /// The keys as a TOML key path.
    fileprivate var dotted: String { map(\.key).joined(separator: ".") }
}

extension TOMLValueConvertible {
    /// The value as a file would write it; what may be long or nested, in outline.
    fileprivate var written: String {
        switch type {
        case .table: "{…}"
        case .array: "[…]"
        case .string: (string ?? "").quoted
        default: debugDescription
        }
    }
}

extension TOMLType {
    /// The type with its article.
    fileprivate var named: String {
        switch self {
        case .array, .int: "an \(self)"
        default: "a \(self)"
        }
    }
}
