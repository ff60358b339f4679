import FoundationEssentials
import Pruning
import Retention

/// What the archive says of the rows of a batch, as text: how to read them, and what was done with them.
enum ArchiveHead {
    /// Deleted rows of a SQLite file without tombstones have only an array of columns, as in the archives of older
    /// versions.
    static func text(of rows: ArchivedRows, place: String) throws(StoreError) -> String {
        do {
            let record = Record(rows)
            let data =
                try record.set == nil && record.tombstone == nil && record.encoding == nil
                ? JSONEncoder().encode(rows.columns) : JSONEncoder().encode(record)
            return String(decoding: data, as: UTF8.self)
        } catch {
            throw StoreError(.other, operation: "archive rows", place: place, cause: "\(error)")
        }
    }

    /// Rows without their bytes; nil if `text` is no head.
    static func rows(_ text: String) -> ArchivedRows? {
        let data = Data(text.utf8)
        if let columns = try? JSONDecoder().decode([String].self, from: data) {
            return ArchivedRows(columns: columns)
        }
        guard let record = try? JSONDecoder().decode(Record.self, from: data),
            let encoding = StoreFormat(rawValue: record.encoding ?? StoreFormat.sqlite.rawValue)
        else { return nil }
        var rows = ArchivedRows(
            columns: record.columns, action: record.set.map { .mark($0.map(\.marked)) } ?? .delete,
            encoding: encoding)
        (rows.tombstone, rows.witness) = (record.tombstone.map(\.value), record.witness ?? [])
        return rows
    }

    private struct Record: Codable {
        let columns: [String]
        let set: [Value]?
        let tombstone: Stone?
        /// Nil if there is none.
        let witness: [String]?
        /// Nil for rows of a SQLite file.
        let encoding: String?

        init(_ rows: ArchivedRows) {
            columns = rows.columns
            if case .mark(let marked) = rows.action { set = marked.map(Value.init) } else { set = nil }
            tombstone = rows.tombstone.map(Stone.init)
            witness = rows.witness.isEmpty ? nil : rows.witness
            encoding = rows.encoding == .sqlite ? nil : rows.encoding.rawValue
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
