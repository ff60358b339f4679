/// The rows of another table that are deleted with a row of a rule's table, as an expression of the rule may read them.
///
/// An expression may not depend on what the run deletes. It may read the rows that go with the row that it judges: the
/// deletion of another row does not change these. Each query that names the table must join it in its WHERE, by AND, to
/// the judged row, by all columns of the foreign key.
public struct OwnDependents: Sendable {
    /// A word, a quoted name or a symbol of an expression.
    public struct Word: Sendable {
        let text: String
        let isQuoted: Bool

        /// `text` is without quotation marks, and the same for all spellings that the engine takes for the same name.
        public init(_ text: String, isQuoted: Bool) {
            (self.text, self.isQuoted) = (text, isQuoted)
        }
    }

    /// The table of the rule.
    let owner: String
    /// The table whose rows are deleted with those of the owner.
    let table: String
    /// The columns of both that are equal.
    let columns: [(own: String, owners: String)]

    /// The names are spelled as in the words of expressions.
    public init(of owner: String, in table: String, by columns: [(own: String, owners: String)]) {
        (self.owner, self.table, self.columns) = (owner, table, columns)
    }

    /// SQL that is true of a row that has dependents, and that ``areAllThatIsRead(by:)`` accepts.
    public var existence: String {
        let terms = columns.map { "\(table).\($0.own) = \(owner).\($0.owners)" }
        return "EXISTS (SELECT 1 FROM \(table) WHERE \(terms.joined(separator: " AND ")))"
    }

    /// Whether an expression reads no other rows of the table. Where that cannot be told, it is false.
    public func areAllThatIsRead(by expression: [Word]) -> Bool {
        let words = Words(all: expression)
        return expression.indices.allSatisfy { index in
            // Nothing else may have the name of the owner.
            if expression[index].text == owner {
                return words.isSymbol(".", at: index - 1)
                    ? words.isColumn(at: index) : words.isSymbol(".", at: index + 1)
            }
            guard expression[index].text == table else { return true }
            if words.isSymbol(".", at: index - 1) { return words.isColumn(at: index) }
            return words.isSymbol(".", at: index + 1) || isJoined(at: index, in: words)
        }
    }

    /// Whether the table, which a FROM names at `index`, is joined to the owner.
    private func isJoined(at index: Int, in words: Words) -> Bool {
        guard words.clause(before: index) == "from", let terms = words.whereTerms(after: index) else {
            return false
        }
        let alias = words.alias(after: index) ?? table
        return columns.allSatisfy { column in
            let (own, owners) = ([alias, ".", column.own], [owner, ".", column.owners])
            return terms.contains { $0 == own + ["="] + owners || $0 == owners + ["="] + own }
        }
    }

    /// The words of an expression, and the clauses of its queries.
    private struct Words {
        let all: [Word]

        func isSymbol(_ symbol: String, at index: Int) -> Bool {
            all.indices.contains(index) && !all[index].isQuoted && all[index].text == symbol
        }

        /// The key word at `index` that begins a clause of a query; nil if there is none.
        private func clause(at index: Int) -> String? {
            let word = all[index]
            return !word.isQuoted && Self.clauses.contains(word.text.lowercased())
                ? word.text.lowercased() : nil
        }

        /// Whether the word at `index`, which follows a point, names a column of another table in a WHERE. It could also
        /// name a table with its schema, after FROM or, in SQLite, IN.
        func isColumn(at index: Int) -> Bool {
            guard index > 2, clause(before: index) == "where", !isSymbol(".", at: index + 1) else {
                return false
            }
            return !isSymbol(".", at: index - 3) && all[index - 3].text.lowercased() != "in"
        }

        /// The clause in which the word at `index` stands.
        func clause(before index: Int) -> String? {
            var depth = 0
            for other in all[..<index].indices.reversed() {
                if isSymbol(")", at: other) { depth += 1 }
                if isSymbol("(", at: other) { depth -= 1 }
                guard depth >= 0 else { return nil }
                if depth == 0, let clause = clause(at: other) { return clause }
            }
            return nil
        }

        /// The name that a FROM gives to the table at `index`.
        func alias(after index: Int) -> String? {
            let isNamed = ["as", "AS"].contains { isSymbol($0, at: index + 1) }
            let next = isNamed ? index + 2 : index + 1
            guard all.indices.contains(next) else { return nil }
            let word = all[next]
            if word.isQuoted { return word.text }
            let isName = word.text.unicodeScalars.first.map {
                !$0.isASCII || $0.properties.isAlphabetic || $0 == "_"
            }
            let isKey =
                Self.clauses.contains(word.text.lowercased()) || Self.joins.contains(word.text.lowercased())
            return isName == true && !isKey ? word.text : nil
        }

        /// The terms that are joined by AND in the WHERE of the query in whose FROM `index` is; nil if it has none, or if
        /// AND may mean something else there.
        func whereTerms(after index: Int) -> [[String]]? {
            var (depth, terms): (Int, [[String]]) = (0, [])
            for next in all.indices.dropFirst(index + 1) {
                if isSymbol("(", at: next) { depth += 1 }
                if isSymbol(")", at: next) { depth -= 1 }
                if depth < 0 { break }
                let word = all[next].isQuoted ? "" : all[next].text.lowercased()
                if depth == 0, let clause = clause(at: next) {
                    guard clause == "where", terms.isEmpty else { break }
                    terms = [[]]
                } else if let last = terms.indices.last {
                    if depth == 0, Self.divisive.contains(word) { return nil }
                    if depth == 0, word == "and" {
                        terms.append([])
                    } else {
                        terms[last].append(all[next].text)
                    }
                }
            }
            return terms.isEmpty ? nil : terms
        }

        private static let clauses: Set = [
            "select", "from", "where", "group", "having", "window", "order", "limit", "offset", "fetch",
            "for",
            "union", "intersect", "except",
        ]
        private static let joins: Set = [
            "as", "join", "inner", "left", "right", "full", "outer", "cross", "natural", "on", "using",
            "indexed",
            "not", "tablesample", "and", "or",
        ]
        /// In these, AND is no conjunction of the whole WHERE.
        private static let divisive: Set = ["or", "between", "case", "when", "then", "else", "end"]
    }
}
