/// What a gate compares of a PostgreSQL schema: tables with their columns, keys and triggers.
///
/// Its text is that of a preset: a line for each fact, the tables one after the other.
///
///     table entries
///       column id bigint not null
///       primary key (id)
///       unique (feed_id, hash)
///       foreign key (feed_id) references feeds (id) on delete cascade
///       trigger entries_update before update row '0f1e2d3c4b5a69788796a5b4c3d2e1f0'
struct CatalogFacts: Equatable {
    struct Column: Equatable {
        let name: String
        /// The tokens of the type, as `format_type` writes it.
        let type: [String]
        let isNotNull: Bool
        let isGenerated: Bool

        /// The type as people write it.
        var typeText: String { type.joinedAsSQL.replacing(" (", with: "(") }
    }

    struct Table: Equatable {
        /// With its schema if that is not `public`.
        let name: String
        var columns: [Column] = []
        /// In the order of the index; empty if there is none.
        var primaryKey: [String] = []
        /// The columns of each unique index, sorted; of one with expressions or a condition the tokens of its definition.
        var uniqueIndexes: Set<[String]> = []
        /// The tokens of each foreign key.
        var foreignKeys: Set<[String]> = []
        /// By name: when it fires, and a digest of what it does.
        var triggers: [String: [String]] = [:]

        subscript(column: String) -> Column? { columns.first { $0.name == column } }
    }

    var tables: [String: Table] = [:]
}

extension String {
    /// The name as people write it: with quotation marks only if it needs them.
    var sqlName: String {
        let isPlain = first.map { $0.isASCII && ($0.isLetter || $0 == "_") } ?? false
        let isLower = allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }
        return isPlain && isLower ? self : quotedIdentifier
    }
}

extension [String] {
    /// Tokens that were written by ``CatalogFacts/words(of:)``, with blanks between them where people put them.
    var joinedAsSQL: String {
        var text = ""
        for (index, word) in enumerated() {
            let before = index > 0 ? self[index - 1] : ""
            let isTight =
                text.isEmpty || [",", ")", ".", "]", "[", "::"].contains(word)
                || ["(", ".", "[", "::"].contains(before)
            text += (isTight ? "" : " ") + word
        }
        return text
    }
}

extension CatalogFacts {
    /// The tokens of SQL in a form that is equal where blanks, and the case and quotation marks of names, differ.
    static func words(of sql: String) throws -> [String] {
        try SQLLexer.tokens(of: sql).map { token in
            switch token.kind {
            case .string: token.text.quotedLiteral
            case .word, .quotedName: token.text.sqlName
            case .number, .symbol: token.text
            }
        }
    }
}
