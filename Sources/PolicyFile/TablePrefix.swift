import Retention

/// A prefix of table names, which stands for `{prefix}` in a preset, or what stands for another placeholder in rules.
struct TablePrefix {
    private let text: String
    private let format: StoreFormat
    private let placeholder: String

    init(_ text: String, of format: StoreFormat, for placeholder: String = "{prefix}") {
        (self.text, self.format, self.placeholder) = (text, format, placeholder)
    }

    /// Whether tables may have it. Users of FreshRSS may have dots, hyphens and @ in their names; what is known of SQLite
    /// stores does not quote names.
    var isValid: Bool {
        let more = format.isServer ? "_-.@" : "_"
        return (1...64).contains(text.utf8.count)
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || more.contains($0) }
    }

    /// The value of `key`, with the prefix for each `{prefix}` in its texts.
    func replaced(in value: TOMLValue, of key: String) -> TOMLValue {
        switch value {
        case .string(let text): .string(isSQL(key) ? replacedInSQL(text) : replaced(in: text))
        case .array(let array): .array(array.map { replaced(in: $0, of: key) })
        case .table(let table):
            .table(
                TOMLTable(
                    table.lines.map { ($0.key, replaced(in: $0.value, of: $0.key)) }, on: table.lineNumbers))
        case .integer, .float, .bool, .time: value
        }
    }

    /// Whether PostgreSQL would read another name there than the one that is written: it folds capitals, and divides names
    /// at dots.
    private func isSQL(_ key: String) -> Bool {
        let keys = [SchemaKey.tables.rawValue, RuleKey.where.rawValue, RuleKey.protect.rawValue]
        return format == .postgresql && keys.contains(key)
    }

    private func replaced(in template: String) -> String { template.replacing(placeholder, with: text) }

    /// With quotation marks around the whole name, unless it needs none or has them already.
    private func replacedInSQL(_ template: String) -> String {
        guard !isPlain else { return replaced(in: template) }
        let parts = template.split(separator: placeholder, omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts[0])) { result, part in
            guard result.last != "\"" else { return result += text + part }
            let rest = part.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" }
            result += "\"\(text)\(rest)\"" + part.dropFirst(rest.count)
        }
    }

    private var isPlain: Bool {
        text.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" } && text.first?.isNumber == false
    }
}

extension TableReader {
    /// A prefix of the names of tables in a store of `format`.
    func prefix(_ key: Key, of format: StoreFormat) throws(PolicyFileError) -> String? {
        guard let text = try string(key) else { return nil }
        guard TablePrefix(text, of: format).isValid else {
            let marks = format.isServer ? "\"_\", \"-\", \".\" and \"@\"" : "and \"_\""
            throw error(
                key, "is not a prefix of table names", hint: "write at most 64 letters, digits, \(marks)")
        }
        return text
    }
}
