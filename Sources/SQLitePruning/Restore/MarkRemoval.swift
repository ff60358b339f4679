import Retention
import SQLite

/// The SQL that takes a mark back: the marked columns get their old values, where they still hold the mark.
struct MarkRemoval {
    private let table: TableSchema
    private let isRow: String
    private let place: String
    private let assignments: String

    /// Nil if the rows were not marked. `columns` are those of a row, whose values are the parameters `v0`, `v1` and so
    /// on. The parameter `witness` is the hash of the columns `witness`, if there are any.
    init?(_ action: RowAction, _ columns: [String], witness: [String], on table: TableSchema) {
        guard case .mark(let marked) = action else { return nil }
        self.table = table
        let set = Set(marked.map(\.column.comparedName))
        var (key, old): ([String], [String]) = ([], [])
        for (index, name) in columns.enumerated() {
            if set.contains(name.comparedName) {
                old.append("\(name.quotedIdentifier) = :v\(index)")
            } else {
                key.append("\(table.column(name)) IS :v\(index)")
            }
        }
        if !witness.isEmpty { key.append("\(RowWitness.sql(witness, of: table)) = :witness") }
        let held = marked.map { "\(table.column($0.column)) IS \($0.value.literal) COLLATE BINARY" }
        isRow = key.joined(separator: " AND ")
        place = (key + held).joined(separator: " AND ")
        assignments = old.joined(separator: ", ")
    }

    /// The statement that takes the mark back.
    var statement: String {
        "UPDATE OR ABORT \(table.name.quotedIdentifier) SET \(assignments) WHERE \(place)"
    }

    /// A query that has a row if the mark can be taken back.
    var stands: String { "SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(place)" }

    /// A query that has a row if the marked row still exists.
    var exists: String { "SELECT 1 FROM \(table.name.quotedIdentifier) WHERE \(isRow)" }
}
