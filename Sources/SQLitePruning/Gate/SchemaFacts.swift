import Retention
import SQLite

/// What a gate compares of a schema: the ordinary and the virtual tables. Names are in the form of ``gateName``.
struct SchemaFacts: Equatable {
    struct Column: Equatable {
        /// With the schema's spelling.
        let name: String
        /// Without its length.
        let type: ColumnClass
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
        /// The primary key and the unique indexes, each as its sorted columns, or as SQL if it is partial or has
        /// expressions.
        let uniqueKeys: Set<[String]>
        /// The triggers by name.
        let triggers: [String: Trigger]
        /// The statement that created a virtual table; nil for an ordinary one.
        let module: [String]?
    }

    struct Trigger: Hashable {
        /// The tokens of its statement.
        let sql: [String]
        let event: SchemaUse.Event
        /// The columns whose update it answers; empty: all.
        let columns: [String]
    }

    var tables: [String: Table]
}

extension SchemaFacts.Trigger {
    /// Reads `CREATE TRIGGER name [BEFORE | AFTER | INSTEAD OF] event [OF columns] ON table ...`.
    init(_ statement: String) {
        sql = SQLToken.comparable(statement)
        // The name may be any word, and may be in quotation marks.
        let rest = sql.dropFirst(3).drop { SchemaUse.Event(rawValue: $0) == nil }
        event = rest.first.flatMap(SchemaUse.Event.init) ?? .delete
        let list = rest.dropFirst()
        columns = list.first == "of" ? list.dropFirst().prefix { $0 != "on" }.filter { $0 != "," } : []
    }
}

extension ColumnClass {
    /// The class of a declared type. SQLite keeps a number or a text in a column of any of them, but it converts by the
    /// same words.
    init(declared type: String) {
        let words: [(String, ColumnClass)] = [
            ("int", .number), ("bool", .boolean), ("char", .text), ("clob", .text), ("text", .text),
            ("json", .text), ("blob", .bytes), ("binary", .bytes), ("date", .time), ("time", .time),
            ("real", .number), ("floa", .number), ("doub", .number), ("num", .number), ("dec", .number),
        ]
        let name = SQLToken.comparable(type).joined(separator: " ")
        self = words.first { name.contains($0.0) }?.1 ?? .other(name)
    }
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
