/// Looks for an operand of a condition that is a text.
///
/// SQLite takes a text for the number at its beginning, so `protect = "note"` would protect no row with a note. Only what
/// is known to be a number or a comparison is a condition here.
struct Truth {
    typealias Tokens = ArraySlice<SQLToken>

    /// The tables whose columns the expression may name.
    let tables: [TableSchema]

    /// The first part of a condition that may be a text; nil if there is none.
    func text(in tokens: [SQLToken]) -> Tokens? {
        if let found = offence(tokens[...]) { return found }
        // The conditions of subqueries.
        for (index, token) in tokens.enumerated()
        where ["where", "having", "on"].contains(where: token.isWord) {
            let rest = tokens[(index + 1)...]
            let end = rest.topLevel.first { Self.ends.contains(rest[$0].keyword) || rest[$0].isSymbol(",") }
            let outer = rest.closing ?? rest.endIndex
            if let found = offence(rest[..<min(end ?? outer, outer)]) { return found }
        }
        return nil
    }

    private static let ends: Set = [
        "cross", "except", "full", "group", "having", "inner", "intersect", "join", "left", "limit",
        "natural",
        "offset", "on", "order", "right", "union", "where", "window",
    ]

    private func offence(_ tokens: Tokens) -> Tokens? {
        guard let first = tokens.first else { return nil }
        if first.isSymbol("("), tokens.closing(of: tokens.startIndex) == tokens.endIndex - 1 {
            let inner = tokens.dropFirst().dropLast()
            return inner.first?.isWord("select") == true ? result(of: inner) : offence(inner)
        }
        for terms in [tokens.split(byWord: "or"), tokens.splitByAnd] where terms.count > 1 {
            return terms.lazy.compactMap(offence).first
        }
        if first.isWord("not") { return offence(tokens.dropFirst()) }
        if first.isWord("exists") || tokens.isComparison { return nil }
        return operand(tokens, first)
    }

    /// Something that nothing is compared with.
    private func operand(_ tokens: Tokens, _ first: SQLToken) -> Tokens? {
        if tokens.isArithmetic { return nil }
        if tokens.joinsText { return tokens }
        if first.isSymbol("-") || first.isSymbol("~") { return nil }
        if first.isSymbol("+") { return offence(tokens.dropFirst()) }
        if let collate = tokens.topLevel.first(where: { tokens[$0].isWord("collate") }) {
            return offence(tokens[..<collate])
        }
        if first.isWord("case") { return choice(tokens) }
        if tokens.dropFirst().first?.isSymbol("(") == true {
            return tokens.closing(of: tokens.startIndex + 1) == tokens.endIndex - 1
                ? call(first.text.lowercased(), tokens.dropFirst(2).dropLast(), tokens) : tokens
        }
        if !first.isQuoted {
            if first.text.first?.isNumber ?? false || first.isSymbol(".") { return nil }
            if tokens.count == 1, ["true", "false", "null"].contains(first.keyword) { return nil }
        }
        return isNumber(column: tokens) ? nil : tokens
    }

    private func call(_ name: String, _ arguments: Tokens, _ call: Tokens) -> Tokens? {
        if Self.numeric.contains(name) { return nil }
        if name == "cast" {
            let type = arguments.topLevel.last { arguments[$0].isWord("as") }.map { arguments[($0 + 1)...] }
            return type.map { Self.isNumeric($0.map(\.text).joined()) } == true ? nil : call
        }
        let parts = arguments.split(bySymbol: ",")
        let results: ArraySlice<Tokens>
        switch name {
        case "coalesce", "ifnull", "max", "min", "iif": results = parts[...]
        case "likely", "unlikely", "likelihood", "nullif": results = parts.prefix(1)
        default: return call
        }
        return results.lazy.compactMap(offence).first
    }

    /// CASE ... END: each result is one, and so is each condition if nothing is compared with them.
    private func choice(_ tokens: Tokens) -> Tokens? {
        let inner = tokens.dropFirst().dropLast()
        guard tokens.last?.isWord("end") == true else { return tokens }
        let marks = inner.topLevel.filter { ["when", "then", "else"].contains(inner[$0].keyword) }
        let hasBase = marks.first != inner.startIndex
        for (index, mark) in marks.enumerated() where !(hasBase && inner[mark].isWord("when")) {
            let end = index + 1 < marks.count ? marks[index + 1] : inner.endIndex
            if let found = offence(inner[(mark + 1)..<end]) { return found }
        }
        return nil
    }

    /// The only column of a subquery.
    private func result(of query: Tokens) -> Tokens? {
        let columns = query.dropFirst()
        let joins = ["union", "except", "intersect"]
        guard !columns.topLevel.contains(where: { joins.contains(columns[$0].keyword) }) else { return query }
        let end = columns.topLevel.first { ["as", "from", "where", "limit"].contains(columns[$0].keyword) }
        return offence(columns[..<(end ?? columns.endIndex)])
    }

    private func isNumber(column tokens: Tokens) -> Bool {
        let names = tokens.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        let dots = tokens.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        guard let name = names.last, names.count == dots.count + 1, dots.allSatisfy({ $0.isSymbol(".") })
        else {
            return false
        }
        let named = tables.filter { $0.name.comparedName == names.dropLast().last?.text.comparedName }
        let columns = (named.isEmpty ? tables : named).compactMap { $0.columnNamed(name.text) }
        guard !columns.isEmpty else { return ["rowid", "oid", "_rowid_"].contains(name.keyword) }
        return columns.allSatisfy { !$0.holdsNumbersAsText && Self.isNumeric($0.type) }
    }

    /// Whether a column of this type is meant to have numbers. SQLite would also take a DATE or a STRING for one.
    private static func isNumeric(_ type: String) -> Bool {
        let type = type.uppercased()
        return ["INT", "BOOL", "BIT", "REAL", "FLOA", "DOUB", "NUM", "DEC"].contains { type.contains($0) }
    }

    /// Functions whose result is a number.
    private static let numeric: Set = [
        "abs", "avg", "count", "glob", "instr", "json_array_length", "json_valid", "julianday", "length",
        "like",
        "round", "sign", "sum", "total", "unicode", "unixepoch",
    ]
}

extension SQLToken {
    /// In lower case; empty if it is quoted.
    fileprivate var keyword: String { isQuoted ? "" : text.lowercased() }

    fileprivate func isNext(to other: SQLToken) -> Bool { range.lowerBound == other.range.upperBound }
}

extension ArraySlice<SQLToken> {
    /// The positions of the tokens that are in no parentheses and in no CASE ... END, but for the parentheses themselves.
    fileprivate var topLevel: [Int] {
        var depth = 0
        var found: [Int] = []
        for index in indices {
            let token = self[index]
            if token.isSymbol(")") || token.isWord("end") { depth -= 1 }
            if depth < 0 { break }
            if depth == 0 { found.append(index) }
            if token.isSymbol("(") || token.isWord("case") { depth += 1 }
        }
        return found
    }

    /// The position of the parenthesis that closes what is around the tokens.
    fileprivate var closing: Int? {
        var depth = 0
        return indices.first { index in
            if self[index].isSymbol("(") { depth += 1 }
            if self[index].isSymbol(")") { depth -= 1 }
            return depth < 0
        }
    }

    fileprivate func closing(of parenthesis: Int) -> Int? { self[(parenthesis + 1)...].closing }

    fileprivate func split(at positions: [Int]) -> [ArraySlice<SQLToken>] {
        zip([startIndex - 1] + positions, positions + [endIndex]).map { self[($0 + 1)..<$1] }
    }

    fileprivate func split(byWord word: String) -> [ArraySlice<SQLToken>] {
        split(at: topLevel.filter { self[$0].isWord(word) })
    }

    fileprivate func split(bySymbol symbol: String) -> [ArraySlice<SQLToken>] {
        split(at: topLevel.filter { self[$0].isSymbol(symbol) })
    }

    /// Split at each AND that is not one of BETWEEN.
    fileprivate var splitByAnd: [ArraySlice<SQLToken>] {
        var open = 0
        return split(
            at: topLevel.filter { index in
                if self[index].isWord("between") { open += 1 }
                guard self[index].isWord("and") else { return false }
                if open == 0 { return true }
                open -= 1
                return false
            })
    }

    /// The symbols outside of parentheses, each with what follows it at once as one: `->>`.
    private var operators: [(text: String, position: Int)] {
        var found: [(text: String, position: Int)] = []
        for index in topLevel where !self[index].isQuoted && "=<>!|-+*/%&~".contains(self[index].text) {
            if let last = found.last, index > startIndex, last.position + last.text.count == index,
                self[index].isNext(to: self[index - 1]), !["+", "-", "~"].contains(self[index].text)
            {
                found[found.count - 1].text += self[index].text
            } else {
                found.append((self[index].text, index))
            }
        }
        return found
    }

    fileprivate var isComparison: Bool {
        operators.contains { ["=", "==", "<", ">", "<=", ">=", "<>", "!="].contains($0.text) }
            || topLevel.contains { index in
                let isColumn = index > startIndex && self[index - 1].isSymbol(".")
                return !isColumn && Self.comparisons.contains(self[index].keyword)
            }
    }

    private static var comparisons: Set<String> {
        ["is", "isnull", "notnull", "not", "in", "like", "glob", "match", "regexp", "between"]
    }

    /// Whether its outermost operator has two operands and a number as its result.
    fileprivate var isArithmetic: Bool {
        operators.contains { symbol in
            guard symbol.position > startIndex, !symbol.text.hasPrefix("||"), !symbol.text.hasPrefix("->")
            else {
                return false
            }
            let before = self[symbol.position - 1]
            return before.isQuoted || before.isSymbol(")") || !"=<>!|-+*/%&~(".contains(before.text)
        }
    }

    fileprivate var joinsText: Bool {
        operators.contains { $0.text.hasPrefix("||") || $0.text.hasPrefix("->") }
    }
}
