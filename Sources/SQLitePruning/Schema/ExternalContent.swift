import SQLite

/// A full-text index that does not store its texts but reads them from another table or view. It must be told of each
/// row that is inserted or deleted. After a deletion that it was not told of, its searches report a malformed database.
struct ExternalContent: Equatable {
    /// The virtual table.
    let index: String
    /// The table or view from which it reads: the value of its `content` option.
    let source: String
    /// The column of ``source`` whose value tells the row: the value of its `content_rowid` option.
    var rowID = "rowid"
    var isFTS5 = false

    /// An index in the schema that reads rows of `tables` and is not one of `others`, which are in the form of
    /// `comparedName`; nil if there is none.
    static func reading(
        _ tables: [String], besides others: Set<[UInt8]> = [], in db: Database
    ) throws -> ExternalContent? {
        let names = Set(tables.map(\.comparedName))
        let virtual = try db.rows("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage = 0")
        return try virtual.lazy.compactMap { ExternalContent(index: $0[0].string, statement: $0[1].string) }
            .first { found in
                guard !others.contains(found.index.comparedName) else { return false }
                if names.contains(found.source.comparedName) { return true }
                guard try TableSchema.kind(of: found.source, in: db)?.kind == .view else { return false }
                let view = try DeleteReach(of: "SELECT * FROM \(found.source.quotedIdentifier)", in: db)
                return !names.isDisjoint(with: view.reads)
            }
    }

    /// Whether the index has one of these columns.
    func indexes(_ columns: [String], in db: Database) throws -> Bool {
        let own = try db.rows("SELECT name FROM pragma_table_info(:index)", ["index": .text(index)])
        return !Set(own.map(\.[0].string.comparedName)).isDisjoint(with: columns.map(\.comparedName))
    }

    private init(index: String, source: String) {
        (self.index, self.source) = (index, source)
    }

    /// Parses the statement that created `index`; nil if it did not create such an index. FTS5 also accepts the first
    /// letters of an option's name.
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
        let option = { (isMeant: (String) -> Bool) in
            arguments.last { argument in
                argument.count > 2 && argument[1].isSymbol("=") && !argument[0].isQuoted
                    && isMeant(argument[0].text.lowercased())
            }
        }
        guard let value = option({ "content".hasPrefix($0) })?.dropFirst(2), let first = value.first,
            let last = value.last
        else {
            return nil
        }
        // FTS4 takes the whole unquoted text for the name.
        let source =
            first.isQuoted ? first.text : String(statement[first.range.lowerBound..<last.range.upperBound])
        guard !source.isEmpty else { return nil }
        self.init(index: index, source: source)
        isFTS5 = tokens[using + 1].text.lowercased() == "fts5"
        let key = option { $0.hasPrefix("content_") && "content_rowid".hasPrefix($0) }
        rowID = key.map { $0.dropFirst(2).map(\.text).joined() } ?? "rowid"
    }
}
