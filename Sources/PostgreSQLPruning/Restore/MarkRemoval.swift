import Retention
import RuleEngine

/// The SQL that takes a mark back: the marked columns get their old values, where they still hold the mark.
struct MarkRemoval {
    private let relation: Relation
    private let isRow: String
    private let held: String
    private let assignments: String
    /// The positions of the key in a row, which it begins with, and of the hash by which the row is known to be the same.
    let key: [Int]
    /// SQL of that hash; nil if the archive has none.
    private let witness: String?
    /// How many values of a row ``statement`` takes.
    let width: Int

    /// Nil if the rows were not marked. `columns` are those of a row, whose values are `$1`, `$2` and so on. Behind them is
    /// the hash of the columns `witness`, if there are any.
    init?(_ action: RowAction, _ columns: [String], witness: [String], on relation: Relation) {
        guard let mark = Mark(action, on: relation) else { return nil }
        self.relation = relation
        let set = Set(mark.names)
        let names = columns.indices.filter { !set.contains(columns[$0]) }
        self.witness = witness.isEmpty ? nil : RowWitness.sql(witness, of: relation)
        width = columns.count + (witness.isEmpty ? 0 : 1)
        key = names + (columns.count..<width)
        isRow = names.map { "\(relation.column(columns[$0])) = $\($0 + 1)" }.joined(separator: " AND ")
        held = mark.isSet(in: relation)
        assignments = columns.indices.filter { set.contains(columns[$0]) }
            .map { "\(columns[$0].quotedIdentifier) = $\($0 + 1)" }.joined(separator: ", ")
    }

    private var table: String { "\(relation.sql) AS \(relation.alias)" }

    /// The statement that takes the mark back.
    var statement: String { "UPDATE \(table) SET \(assignments) WHERE \(isSame(width)) AND \(held)" }

    /// Whether the marked row exists, and whether it has the mark. The values at ``key`` alone are given.
    var question: String { "SELECT \(held) FROM \(table) WHERE \(isSame(key.count))" }

    /// The row is the marked one; its hash is the parameter `number`.
    private func isSame(_ number: Int) -> String {
        isRow + (witness.map { " AND \($0) = $\(number)::text" } ?? "")
    }
}

extension Mark {
    /// The mark that rows in the archive have; nil if they were deleted, or a column is gone.
    fileprivate init?(_ action: RowAction, on relation: Relation) {
        guard case .mark(let marked) = action else { return nil }
        let columns = marked.compactMap { mark in
            relation[mark.column].map { Column($0.name, literal: mark.value.literal(of: $0)) }
        }
        guard columns.count == marked.count else { return nil }
        self.init(columns: columns)
    }
}
