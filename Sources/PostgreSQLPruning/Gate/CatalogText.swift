extension CatalogFacts {
    /// Reads the text of a preset. Throws a ``SchemaMismatch`` that names the line that it does not understand.
    init(_ text: String) throws {
        var name: String?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.drop { $0 == " " || $0 == "\t" }
            guard !content.isEmpty, !content.hasPrefix("#") else { continue }
            do {
                let tokens = try SQLLexer.tokens(of: String(content))
                if tokens.first?.isWord("table") ?? false {
                    name = tokens.dropFirst().filter(\.isName).map(\.text).joined(separator: ".")
                    tables[name ?? ""] = Table(name: name ?? "")
                } else {
                    guard let name, try tables[name]?.read(String(content), tokens) ?? false else {
                        throw SQLLexer.Refused(reason: "it is no fact of a table", offset: 0)
                    }
                }
            } catch let error as SQLLexer.Refused {
                throw SchemaMismatch(
                    "the gate's catalog cannot be read: line \(number + 1): \(error.reason): \(content)",
                    hint:
                        "write it as `pruned suggest` prints it: table, column, primary key, unique, foreign key, trigger"
                )
            }
        }
        guard !tables.isEmpty else {
            throw SchemaMismatch(
                "the gate's catalog names no table", hint: "write a line such as: table entries")
        }
    }
}

extension CatalogFacts.Table {
    /// Takes one line. Returns whether it is a fact.
    fileprivate mutating func read(_ line: String, _ tokens: [SQLToken]) throws -> Bool {
        func rest(after count: Int) throws -> [String] {
            let start = count < tokens.count ? tokens[count].range.lowerBound : line.utf8.count
            return try CatalogFacts.words(of: String(decoding: Array(line.utf8)[start...], as: UTF8.self))
        }
        let words = tokens.map { $0.kind == .word ? $0.text : "" }
        switch (words.first, words.dropFirst().first) {
        case ("column", _):
            guard tokens.count > 2, tokens[1].isName else { return false }
            var type = try rest(after: 2)
            let isGenerated = type.last == "generated"
            if isGenerated { type.removeLast() }
            let isNotNull = type.suffix(2) == ["not", "null"]
            if isNotNull { type.removeLast(2) }
            guard !type.isEmpty else { return false }
            columns.append(
                CatalogFacts.Column(
                    name: tokens[1].text, type: type, isNotNull: isNotNull, isGenerated: isGenerated))
        case ("primary", "key"):
            primaryKey = tokens.dropFirst(2).filter(\.isName).map(\.text)
        case ("unique", _): uniqueIndexes.insert(try rest(after: 1))
        case ("foreign", "key"): foreignKeys.insert(try rest(after: 2))
        case ("trigger", _):
            guard tokens.count > 2, tokens[1].isName else { return false }
            let name = tokens[1]
            let value = String(decoding: Array(line.utf8)[name.range.upperBound...], as: UTF8.self)
            triggers[name.text] = value.split(separator: " ").map(String.init)
        default: return false
        }
        return true
    }
}
