import SQLite

/// What a gate compares of a schema: the ordinary and the virtual tables. Names are in the form of ``gateName``.
struct SchemaFacts: Equatable {
    struct Column: Equatable {
        /// With the schema's spelling.
        let name: String
        let type: String
        let isNotNull: Bool
        /// Its position in the primary key, from 1; 0 if it is not part of it.
        let keyPosition: Int64
        let isGenerated: Bool
    }

    struct ForeignKey: Hashable {
        let columns: [String]
        let parent: String
        /// Empty if it refers to the parent's primary key.
        let parentColumns: [String]
        let onUpdate: String
        let onDelete: String
    }

    struct Table: Equatable {
        /// With the schema's spelling.
        let name: String
        let columns: [String: Column]
        let foreignKeys: Set<ForeignKey>
        /// The unique indexes, each as its sorted columns, or as SQL if it is partial or has expressions.
        let uniqueIndexes: Set<[String]>
        /// The triggers by name, as SQL.
        let triggers: [String: [String]]
        /// The statement that created a virtual table; nil for an ordinary one.
        let module: [String]?
    }

    var tables: [String: Table]
}

extension String {
    /// A name of a schema as SQLite compares it.
    var gateName: String { String(decoding: comparedName, as: UTF8.self) }
}

extension SQLToken {
    /// The tokens of `statement` in a form that is equal where comments, white space, case and the quotes of names
    /// differ.
    static func comparable(_ statement: String) -> [String] {
        all(of: statement).map { token in
            statement[token.range].first == "'" ? "'" + token.text + "'" : token.text.gateName
        }
    }
}
