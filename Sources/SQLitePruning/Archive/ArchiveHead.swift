import FoundationEssentials
import Pruning
import Retention

/// What the archive says of the rows of a batch: how to read them, and what was done with them.
struct ArchiveHead: Equatable {
    let columns: [String]
    let action: RowAction
    let tombstone: Tombstone?
    let witness: [String]
    let encoding: StoreFormat

    /// The number of values of a row.
    var width: Int { columns.count + (tombstone == nil ? 0 : 1) + (witness.isEmpty ? 0 : 1) }

    init(_ rows: ArchivedRows) {
        (columns, action, tombstone) = (rows.columns, rows.action, rows.tombstone)
        witness = rows.witness
        encoding = rows.encoding
    }

    /// Deleted rows of a SQLite file without tombstones have only an array of columns, as in the archives of older
    /// versions.
    func text(place: String) throws(StoreError) -> String {
        do {
            let record = Record(self)
            let data =
                try record.set == nil && record.tombstone == nil && record.encoding == nil
                ? JSONEncoder().encode(columns) : JSONEncoder().encode(record)
            return String(decoding: data, as: UTF8.self)
        } catch {
            throw StoreError(.other, operation: "archive rows", place: place, cause: "\(error)")
        }
    }

    /// Nil if `text` is not one.
    init?(_ text: String) {
        let data = Data(text.utf8)
        if let columns = try? JSONDecoder().decode([String].self, from: data) {
            (self.columns, action, tombstone, witness, encoding) = (columns, .delete, nil, [], .sqlite)
            return
        }
        guard let record = try? JSONDecoder().decode(Record.self, from: data) else { return nil }
        columns = record.columns
        action = record.set.map { .mark($0.map(\.marked)) } ?? .delete
        tombstone = record.tombstone.map(\.value)
        witness = record.witness ?? []
        guard let encoding = StoreFormat(rawValue: record.encoding ?? StoreFormat.sqlite.rawValue) else {
            return nil
        }
        self.encoding = encoding
    }

    private struct Record: Codable {
        let columns: [String]
        let set: [Value]?
        let tombstone: Stone?
        /// Nil if there is none.
        let witness: [String]?
        /// Nil for rows of a SQLite file.
        let encoding: String?

        init(_ head: ArchiveHead) {
            columns = head.columns
            if case .mark(let marked) = head.action { set = marked.map(Value.init) } else { set = nil }
            tombstone = head.tombstone.map(Stone.init)
            witness = head.witness.isEmpty ? nil : head.witness
            encoding = head.encoding == .sqlite ? nil : head.encoding.rawValue
        }
    }

    /// One of the numbers and the text is not nil.
    private struct Value: Codable {
        let column: String
        var integer: Int64?
        var real: Double?
        var text: String?

        init(_ marked: MarkedColumn) {
            column = marked.column
            switch marked.value {
            case .integer(let value): integer = value
            case .real(let value): real = value
            case .text(let value): text = value
            }
        }

        var marked: MarkedColumn {
            let value = integer.map(ColumnConstant.integer) ?? real.map(ColumnConstant.real)
            return MarkedColumn(column, value ?? .text(text ?? ""))
        }
    }

    private struct Stone: Codable {
        let table: String
        let columns: [String]
        let sources: [String]

        init(_ tombstone: Tombstone) {
            table = tombstone.table
            columns = tombstone.columns.map(\.column)
            sources = tombstone.columns.map(\.source)
        }

        var value: Tombstone {
            Tombstone(
                table: table, columns: zip(columns, sources).map { .init($0, from: $1) }, condition: nil)
        }
    }
}
