import SQLite

/// A full-text index that keeps no texts of its own, but reads them in another table or view. It has to be told of each row
/// that comes or goes: after a deletion that it does not know of, its searches say that the database is malformed.
struct ExternalContent: Equatable {
    /// The virtual table.
    let index: String
    /// Where it reads: what its `content` option names.
    let source: String

    /// One in the schema that reads rows of `tables`; nil where none does.
    static func reading(_ tables: [String], in db: Database) throws -> ExternalContent? {
        let names = Set(tables.map(\.comparedName))
        let virtual = try db.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage = 0")
        return try virtual.lazy.compactMap { ExternalContent(index: $0[0].string, statement: $0[1].string) }
            .first { found in
                if names.contains(found.source.comparedName) { return true }
                guard try TableSchema.kind(of: found.source, in: db)?.kind == .view else { return false }
                let view = try DeleteReach(of: "SELECT * FROM \(found.source.quotedIdentifier)", in: db)
                return !names.isDisjoint(with: view.reads)
            }
    }

    private init(index: String, source: String) {
        (self.index, self.source) = (index, source)
    }

    /// What the statement says by which `index` was made; nil where that is no such index. FTS5 knows an option by its first
    /// letters, too.
    init?(index: String, statement: String) {
        let tokens = SQLToken.all(of: statement)
        guard let using = tokens.firstIndex(where: { $0.isWord("using") }), using + 2 < tokens.count,
            ["fts4", "fts5"].contains(tokens[using + 1].text.lowercased())
        else { return nil }
        var depth = 0
        var arguments: [[SQLToken]] = [[]]
        for token in tokens[(using + 2)...] {
            if token.isSymbol(")") { depth -= 1 }
            if depth == 1, token.isSymbol(",") {
                arguments.append([])
            } else if depth > 0 {
                arguments[arguments.count - 1].append(token)
            }
            if token.isSymbol("(") { depth += 1 }
        }
        let option = arguments.last { argument in
            argument.count > 2 && argument[1].isSymbol("=") && !argument[0].isQuoted
                && "content".hasPrefix(argument[0].text.lowercased())
        }
        guard let value = option?.dropFirst(2), let first = value.first, let last = value.last else {
            return nil
        }
        // FTS4 takes all that is not quoted for the name.
        let source =
            first.isQuoted ? first.text : String(statement[first.range.lowerBound..<last.range.upperBound])
        guard !source.isEmpty else { return nil }
        self.init(index: index, source: source)
    }
}
