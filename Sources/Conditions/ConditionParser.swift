import TerminalText

/// Reads the language of conditions; see ``WrittenCondition/init(parsing:)``.
struct ConditionParser {
    private let tokens: [Token]
    private var position = 0
    private var depth = 0

    init(_ text: String) throws(ConditionError) {
        guard text.utf8.count <= 20_000 else {
            throw ConditionError("is longer than 20,000 bytes", hint: "protect may be several conditions")
        }
        tokens = try Token.all(of: text)
    }

    private var next: Token { tokens[position] }
    private func after(_ count: Int) -> Token { tokens[min(position + count, tokens.count - 1)] }

    private mutating func take() -> Token {
        defer { if position < tokens.count - 1 { position += 1 } }
        return tokens[position]
    }

    private mutating func takes(word: String) -> Bool {
        guard next.isWord(word) else { return false }
        position += 1
        return true
    }

    private mutating func takes(symbol: String) -> Bool {
        guard next.isSymbol(symbol) else { return false }
        position += 1
        return true
    }

    private mutating func expect(symbol: String, _ place: String) throws(ConditionError) {
        guard takes(symbol: symbol) else { throw unexpected("\(symbol) \(place)") }
    }

    private mutating func expect(word: String) throws(ConditionError) {
        guard takes(word: word) else { throw unexpected(word) }
    }

    private func unexpected(_ expected: String, hint: String? = nil) -> ConditionError {
        let found =
            switch next.kind {
            case .end: "ends"
            case .text: "has the text '\(next.text)'"
            default: "has \(next.text)"
            }
        return ConditionError("\(found) where \(expected) is expected", hint: hint, at: next.offset)
    }

    /// Runs `body` one level deeper. Conditions that nest more than a person can read would nest SQL more than an engine
    /// takes.
    private mutating func deeper<Result>(
        _ body: (inout ConditionParser) throws(ConditionError) -> Result
    ) throws(ConditionError) -> Result {
        guard depth < 40 else { throw ConditionError("nests too deep", at: next.offset) }
        depth += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    // MARK: - Conditions

    mutating func whole() throws(ConditionError) -> WrittenCondition {
        guard next.kind != .end else { throw ConditionError("is empty") }
        let condition = try condition()
        guard next.kind == .end else { throw unexpected("AND, OR or the end", hint: Self.hint(of: next)) }
        return condition
    }

    private mutating func condition() throws(ConditionError) -> WrittenCondition {
        try deeper { (parser) throws(ConditionError) in
            var terms = [try parser.conjunction()]
            while parser.takes(word: "OR") { terms.append(try parser.conjunction()) }
            return try parser.joined(terms, WrittenCondition.any)
        }
    }

    private mutating func conjunction() throws(ConditionError) -> WrittenCondition {
        var terms = [try negation()]
        while takes(word: "AND") { terms.append(try negation()) }
        return try joined(terms, WrittenCondition.all)
    }

    private func joined(
        _ terms: [WrittenCondition], _ join: ([WrittenCondition]) -> WrittenCondition
    ) throws(ConditionError) -> WrittenCondition {
        guard terms.count <= 200 else {
            throw ConditionError(
                "joins more than 200 conditions", hint: "write IN (...), or several of protect")
        }
        return terms.count == 1 ? terms[0] : join(terms)
    }

    private mutating func negation() throws(ConditionError) -> WrittenCondition {
        guard takes(word: "NOT") else { return try term() }
        return .not(try deeper { (parser) throws(ConditionError) in try parser.negation() })
    }

    private mutating func term() throws(ConditionError) -> WrittenCondition {
        if next.isWord("EXISTS"), after(1).isSymbol("(") {
            position += 2
            let query = try subquery()
            try expect(symbol: ")", "after the subquery")
            return .exists(query)
        }
        // What is in parentheses is a condition, unless it turns out to be an operand.
        if next.isSymbol("("), !after(1).isWord("SELECT") {
            let start = position
            position += 1
            do {
                let inner = try condition()
                try expect(symbol: ")", "after the condition")
                if !continuesOperand { return inner }
            } catch {
                guard isOperandInParentheses(from: start) else { throw error }
            }
            position = start
        }
        return try predicate(try operand())
    }

    /// Whether the parentheses that open here close before something that only an operand can have after it.
    private func isOperandInParentheses(from start: Int) -> Bool {
        var open = 0
        for index in start..<tokens.count {
            if tokens[index].isSymbol("(") { open += 1 }
            if tokens[index].isSymbol(")") { open -= 1 }
            if open == 0 { return Self.continuesOperand(tokens[min(index + 1, tokens.count - 1)]) }
        }
        return false
    }

    private var continuesOperand: Bool { Self.continuesOperand(next) }

    private static func continuesOperand(_ token: Token) -> Bool {
        let symbols = ["=", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "*"]
        return symbols.contains(where: token.isSymbol)
            || ["IS", "NOT", "IN", "BETWEEN", "LIKE"].contains(where: token.isWord)
    }

    private mutating func predicate(_ operand: Operand<WrittenNames>) throws(ConditionError)
        -> WrittenCondition
    {
        if next.kind == .symbol, let comparison = Self.comparison(next.text) {
            position += 1
            return .comparison(operand, comparison, try self.operand())
        }
        if takes(word: "IS") {
            let isNegated = takes(word: "NOT")
            guard takes(word: "NULL") else {
                throw unexpected("NULL", hint: "a truth value stands by itself, or after NOT")
            }
            return isNegated ? .not(.isNull(operand)) : .isNull(operand)
        }
        let isNegated = next.isWord("NOT") && ["IN", "LIKE", "BETWEEN"].contains(where: after(1).isWord)
        if isNegated { position += 1 }
        let found: WrittenCondition
        if takes(word: "BETWEEN") {
            let lower = try self.operand()
            try expect(word: "AND")
            found = .all([
                .comparison(operand, .notLess, lower), .comparison(operand, .notGreater, try self.operand()),
            ])
        } else if takes(word: "IN") {
            found = try membership(of: operand)
        } else if takes(word: "LIKE") {
            found = .isLike(operand, try pattern())
        } else {
            if case .literal(.text) = operand { throw unexpected("a comparison") }
            if case .literal(.integer) = operand { throw unexpected("a comparison") }
            return .isTrue(operand)
        }
        return isNegated ? .not(found) : found
    }

    private static func comparison(_ symbol: String) -> Comparison? {
        Comparison(rawValue: symbol == "!=" ? "<>" : symbol)
    }

    private mutating func membership(of operand: Operand<WrittenNames>) throws(ConditionError)
        -> WrittenCondition
    {
        try expect(symbol: "(", "after IN")
        if next.isWord("SELECT") {
            let query = try subquery()
            guard query.column != nil else {
                throw ConditionError(
                    "has IN with SELECT 1", hint: "select the column that is compared", at: next.offset)
            }
            try expect(symbol: ")", "after the subquery")
            return .isInQuery(operand, query)
        }
        var values = [try self.operand()]
        while takes(symbol: ",") { values.append(try self.operand()) }
        try expect(symbol: ")", "after the values")
        guard values.count <= 1_000 else {
            throw ConditionError("has IN with more than 1,000 values", at: next.offset)
        }
        return .isIn(operand, values)
    }

    private mutating func pattern() throws(ConditionError) -> LikePattern {
        let token = take()
        guard token.kind == .text else {
            position -= token.kind == .end ? 0 : 1
            throw unexpected("a pattern in ''")
        }
        var escape: Unicode.Scalar?
        if takes(word: "ESCAPE") {
            let token = take()
            guard token.kind == .text, token.text.unicodeScalars.count == 1 else {
                throw ConditionError("has an ESCAPE that is not one character", at: token.offset)
            }
            escape = token.text.unicodeScalars.first
        }
        return try LikePattern(token.text, escape: escape, at: token.offset)
    }

    // MARK: - Subqueries

    /// From SELECT on, without the parentheses around it.
    private mutating func subquery() throws(ConditionError) -> Subquery<WrittenNames> {
        try deeper { (parser) throws(ConditionError) in
            try parser.expect(word: "SELECT")
            var column: WrittenNames.Column?
            if parser.next.kind == .number, parser.next.text == "1" {
                parser.position += 1
            } else {
                column = try parser.columnName()
            }
            try parser.expect(word: "FROM")
            var tables = [try parser.table()]
            var conditions: [WrittenCondition] = []
            while true {
                if parser.takes(symbol: ",") {
                    tables.append(try parser.table())
                } else if parser.next.isWord("JOIN")
                    || parser.next.isWord("INNER") && parser.after(1).isWord("JOIN")
                {
                    if parser.takes(word: "INNER") {}
                    try parser.expect(word: "JOIN")
                    tables.append(try parser.table())
                    try parser.expect(word: "ON")
                    conditions.append(try parser.condition())
                } else {
                    break
                }
            }
            if parser.takes(word: "WHERE") { conditions.append(try parser.condition()) }
            guard tables.count <= 8 else {
                throw ConditionError("joins more than eight tables", at: parser.next.offset)
            }
            guard parser.next.isSymbol(")") else {
                throw parser.unexpected("the end of the subquery", hint: Self.hint(of: parser.next))
            }
            let condition =
                conditions.isEmpty ? nil : conditions.count == 1 ? conditions[0] : .all(conditions)
            return Subquery(column: column, tables: tables, condition: condition)
        }
    }

    private mutating func table() throws(ConditionError) -> WrittenNames.Table {
        let first = try name("a table")
        var (schema, name): (SQLName?, SQLName) = (nil, first)
        if takes(symbol: ".") { (schema, name) = (first, try self.name("a table")) }
        if takes(word: "AS") { return .init(schema: schema, name: name, alias: try self.name("an alias")) }
        let hasAlias = next.kind == .quotedName || next.kind == .word && !Self.isReserved(next)
        return .init(schema: schema, name: name, alias: hasAlias ? try self.name("an alias") : nil)
    }

    // MARK: - Operands

    private mutating func operand() throws(ConditionError) -> Operand<WrittenNames> {
        var left = try product()
        while true {
            let operation: Arithmetic
            if takes(symbol: "+") {
                operation = .sum
            } else if takes(symbol: "-") {
                operation = .difference
            } else {
                return left
            }
            if next.isWord("INTERVAL"), after(1).kind == .text {
                let seconds = try interval()
                left = .shifted(left, seconds: operation == .sum ? seconds : -seconds)
            } else {
                left = .arithmetic(left, operation, try product())
            }
        }
    }

    private mutating func product() throws(ConditionError) -> Operand<WrittenNames> {
        var left = try primary()
        while takes(symbol: "*") { left = .arithmetic(left, .product, try primary()) }
        return left
    }

    /// `INTERVAL '7d'`, in seconds: days have 24 hours.
    private mutating func interval() throws(ConditionError) -> Int64 {
        position += 1
        let token = take()
        let units: [String: Int64] = ["s": 1, "min": 60, "h": 3_600, "d": 86_400]
        let digits = token.text.prefix { ("0"..."9").contains($0) }
        let unit = units[String(token.text.dropFirst(digits.count))]
        guard let unit, let number = Int64(digits), number <= 100_000_000_000 / unit else {
            throw ConditionError(
                "has the interval '\(token.text)'",
                hint: "an interval is a number with s, min, h or d: INTERVAL '7d'",
                at: token.offset)
        }
        return number * unit
    }

    private mutating func primary() throws(ConditionError) -> Operand<WrittenNames> {
        let token = next
        switch token.kind {
        case .text:
            position += 1
            return .literal(.text(token.text))
        case .number:
            position += 1
            return .literal(try number(token, sign: ""))
        case .symbol where token.text == "-" && after(1).kind == .number:
            position += 2
            return .literal(try number(tokens[position - 1], sign: "-"))
        case .symbol where token.text == "(":
            position += 1
            guard !next.isWord("SELECT") else {
                throw ConditionError(
                    "compares with a subquery",
                    hint: "write EXISTS (SELECT 1 FROM ...) or IN (SELECT column FROM ...)",
                    at: next.offset)
            }
            let inner = try deeper { (parser) throws(ConditionError) in try parser.operand() }
            try expect(symbol: ")", "after the value")
            return inner
        case .word, .quotedName:
            for (word, literal) in [
                ("NULL", Literal.null), ("TRUE", .boolean(true)), ("FALSE", .boolean(false)),
            ]
            where token.isWord(word) {
                position += 1
                return .literal(literal)
            }
            if token.kind == .word, after(1).isSymbol("(") { return try call(token) }
            if token.isWord("INTERVAL"), after(1).kind == .text {
                throw ConditionError(
                    "has an INTERVAL by itself", hint: "write column + INTERVAL '7d'", at: token.offset)
            }
            let column = try columnName()
            guard takes(symbol: "->>") else { return .column(column) }
            let key = take()
            guard key.kind == .text else {
                throw ConditionError(
                    "has ->> without the key of an object", hint: "write column->>'key'", at: key.offset)
            }
            return .member(column, key: key.text)
        default: throw unexpected("a value")
        }
    }

    private func number(_ token: Token, sign: String) throws(ConditionError) -> Literal {
        guard token.text.contains(where: { ".e".contains($0) }) else {
            guard let value = Int64(sign + token.text) else {
                throw ConditionError("has an integer of more than 64 bits", at: token.offset)
            }
            return .integer(value)
        }
        guard let value = Double(token.text), value.isFinite else {
            throw ConditionError("has a number that is out of range", at: token.offset)
        }
        return .decimal(sign + token.text)
    }

    private mutating func call(_ token: Token) throws(ConditionError) -> Operand<WrittenNames> {
        let name = token.text.lowercased()
        position += 2
        if name == "substr" || name == "substring" { return try substring() }
        guard let function = Function(rawValue: name) else {
            let known = Function.allCases.map(\.rawValue) + ["substr"]
            let near = known.nearest(to: name)
            throw ConditionError(
                "calls \(token.text)(), which conditions do not have",
                hint: Self.clocks.contains(name)
                    ? "the age of a row is judged by age_column and keep"
                    : near.map { "did you mean \($0)?" }
                        ?? "they have \(known.joined(separator: ", ")); for more, add a generated column to the table",
                at: token.offset)
        }
        var arguments = [try deeper { (parser) throws(ConditionError) in try parser.operand() }]
        while takes(symbol: ",") {
            arguments.append(try deeper { (parser) throws(ConditionError) in try parser.operand() })
        }
        try expect(symbol: ")", "after the values of \(name)()")
        let fits =
            switch function {
            case .coalesce: (2...20).contains(arguments.count)
            case .nullif: arguments.count == 2
            default: arguments.count == 1
            }
        guard fits else {
            throw ConditionError("calls \(name)() with \(arguments.count) values", at: token.offset)
        }
        return .call(function, arguments)
    }

    private static let clocks: Set = [
        "now", "date", "time", "datetime", "julianday", "unixepoch", "strftime", "age", "clock_timestamp",
    ]

    private mutating func substring() throws(ConditionError) -> Operand<WrittenNames> {
        let text = try deeper { (parser) throws(ConditionError) in try parser.operand() }
        var numbers: [Int64] = []
        while takes(symbol: ",") {
            let token = take()
            guard token.kind == .number, let number = Int64(token.text), number <= Int64(Int32.max) else {
                throw ConditionError("calls substr() with something else than numbers", at: token.offset)
            }
            numbers.append(number)
        }
        let end = next.offset
        try expect(symbol: ")", "after the values of substr()")
        guard (1...2).contains(numbers.count), numbers[0] >= 1 else {
            throw ConditionError(
                "calls substr() otherwise than as substr(text, from) or substr(text, from, count)",
                hint: "from and count are numbers; the first character is 1", at: end)
        }
        return .substring(text, from: numbers[0], count: numbers.count > 1 ? numbers[1] : nil)
    }

    // MARK: - Names

    private mutating func columnName() throws(ConditionError) -> WrittenNames.Column {
        let first = try name("a column")
        guard takes(symbol: ".") else { return .init(table: nil, name: first) }
        return .init(table: first, name: try name("a column"))
    }

    private mutating func name(_ kind: String) throws(ConditionError) -> SQLName {
        guard let name = next.name, !Self.isReserved(next) else {
            throw unexpected(kind, hint: Self.hint(of: next))
        }
        position += 1
        return name
    }

    private static func isReserved(_ token: Token) -> Bool { reserved.contains(where: token.isWord) }

    private static let reserved = [
        "NOT", "AND", "OR", "IS", "NULL", "BETWEEN", "IN", "LIKE", "ESCAPE", "EXISTS", "TRUE", "FALSE",
        "SELECT", "FROM",
        "JOIN", "INNER", "LEFT", "RIGHT", "FULL", "CROSS", "NATURAL", "OUTER", "ON", "USING", "WHERE", "AS",
        "GROUP",
        "HAVING", "ORDER", "LIMIT", "OFFSET", "UNION", "EXCEPT", "INTERSECT", "CASE", "WHEN", "THEN", "ELSE",
        "END", "WITH",
        "COLLATE", "FOR", "DISTINCT", "WINDOW", "FETCH", "GLOB", "REGEXP", "MATCH", "ISNULL", "NOTNULL",

        "CAST",
    ]

    /// What does the same as something of SQL that conditions do not have.
    private static func hint(of token: Token) -> String? {
        let hints: [String: String] = [
            "CASE": "write the cases with AND and OR",
            "COLLATE": "texts are compared as their column compares them",
            "GLOB": "write LIKE", "REGEXP": "write LIKE, or several of them with OR",
            "ISNULL": "write IS NULL", "NOTNULL": "write IS NOT NULL",
            "CAST": "values are not cast in conditions",
            "GROUP": "EXISTS asks only whether there is a row",
            "LIMIT": "EXISTS asks only whether there is a row",
            "ORDER": "EXISTS asks only whether there is a row", "UNION": "write two subqueries with OR",
            "LEFT": "write JOIN, or a subquery in the subquery",
        ]
        return token.kind == .word ? hints[token.text.uppercased()] : nil
    }
}

extension Condition<WrittenNames> {
    /// Throws a ``ConditionError`` that says what was expected where.
    package init(parsing text: String) throws(ConditionError) {
        var parser = try ConditionParser(text)
        self = try parser.whole()
    }
}
