/// What is known of the schema of a store, of whatever kind: as much as a gate compares.
///
/// Names are written as the store has them.
package struct StoreSchema: Codable, Hashable, Sendable {
    package struct Column: Codable, Hashable, Sendable {
        package let name: String
        package let type: ColumnClass

        package init(_ name: String, _ type: ColumnClass) { (self.name, self.type) = (name, type) }
    }

    package struct ForeignKey: Codable, Hashable, Sendable {
        /// What becomes of a row that refers to one that is changed.
        package enum Action: String, Codable, Sendable, CaseIterable {
            case none = "no action"
            case restrict, cascade
            case setNull = "set null"
            case setDefault = "set default"
        }

        package let columns: [String]
        package let parent: String
        /// Empty if it refers to a primary key that is not known.
        package let parentColumns: [String]
        package let onDelete: Action
        package let onUpdate: Action

        package init(
            _ columns: [String], to parent: String, _ parentColumns: [String], onDelete: Action = .none,
            onUpdate: Action = .none
        ) {
            (self.columns, self.parent, self.parentColumns) = (columns, parent, parentColumns)
            (self.onDelete, self.onUpdate) = (onDelete, onUpdate)
        }
    }

    package struct Trigger: Codable, Hashable, Sendable {
        package let name: String
        /// When it fires and what it does, in the words of ``SchemaWords``: those of its statement, or a sum of what its
        /// function says.
        package let words: [String]

        package init(_ name: String, _ words: [String]) { (self.name, self.words) = (name, words) }
    }

    package struct Table: Codable, Hashable, Sendable {
        /// With its schema, and a dot between them, unless the store usually leaves that out.
        package let name: String
        package var columns: [Column] = []
        package var primaryKey: [String] = []
        /// Each in the form of ``uniqueKey(_:)``.
        package var uniqueKeys: Set<[String]> = []
        package var foreignKeys: Set<ForeignKey> = []
        package var triggers: [Trigger] = []
        /// The words that follow USING in the statement that created a virtual table; nil for an ordinary one.
        package var module: [String]?

        package init(_ name: String) { self.name = name }

        /// The words of a unique key: its columns in parentheses, in an order that means nothing, or its expressions and
        /// the condition of a partial one.
        package static func uniqueKey(_ words: [String]) -> [String] {
            guard words.first == "(", words.firstIndex(of: ")") == words.count - 1,
                words.lastIndex(of: "(") == 0
            else { return words }
            let parts = words.dropFirst().dropLast().split(separator: ",").map(Array.init)
            let sorted = parts.sorted { $0.lexicographicallyPrecedes($1) }
            return ["("] + sorted.joined(separator: [","]) + [")"]
        }
    }

    package var tables: [Table]

    package init(_ tables: [Table] = []) { self.tables = tables }
}
