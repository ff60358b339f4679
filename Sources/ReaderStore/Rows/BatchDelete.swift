import Foundation
import GRDB

/// A deletion of many rows that loads none of them.
public struct BatchDelete: Hashable, Sendable {
    /// Which rows to delete.
    public enum Predicate: Hashable, Sendable {
        /// All rows.
        case all
        /// Rows with an earlier time. For a feed this is its expiry time.
        case before(Date)
        /// Rows with these ids, as text in the format of ``BatchDeleteResult/ids``. A text that cannot be an id of the
        /// table is ignored.
        case ids([String])
    }

    /// What the result contains.
    public enum ResultType: Hashable, Sendable {
        /// Only that it was done.
        case status
        /// The number of deleted rows.
        case count
        /// The ids of the deleted rows.
        case ids
    }

    /// The table. Rows that belong to its rows are deleted too, such as a feed's articles.
    public var table: ReaderTable
    /// Which rows to delete.
    public var predicate: Predicate
    /// What the result contains.
    public var resultType: ResultType

    /// See the properties.
    public init(_ table: ReaderTable, where predicate: Predicate, returning resultType: ResultType = .count) {
        self.table = table
        self.predicate = predicate
        self.resultType = resultType
    }
}

/// The result of a ``BatchDelete``.
public struct BatchDeleteResult: Hashable, Sendable {
    /// The table.
    public let table: ReaderTable
    /// The number of deleted rows; nil when not asked for.
    public let count: Int?
    /// The ids of the deleted rows, in no particular order; nil when not asked for.
    public let ids: [String]?
}

extension ReaderTransaction {
    /// Executes a batch deletion in this transaction.
    @discardableResult
    public func execute(_ request: BatchDelete) throws(ReaderStoreError) -> BatchDeleteResult {
        let table = request.table
        let (condition, arguments): (String, StatementArguments) =
            switch request.predicate {
            case .all: ("1", [])
            case .before(let date): ("\(table.timeColumn) < ?", [date.storeSeconds])
            case .ids(let ids):
                ("\(table.idColumn) IN (SELECT value FROM json_each(?))", [try json(ids, of: table)])
            }
        let sql = "DELETE FROM \(table.rawValue) WHERE \(condition)"
        return try doing("delete rows of \(table.rawValue) from") { db in
            if request.resultType == .ids {
                let ids = try String.fetchAll(
                    db, sql: sql + " RETURNING CAST(\(table.idColumn) AS TEXT)", arguments: arguments)
                return BatchDeleteResult(table: table, count: ids.count, ids: ids)
            }
            try db.execute(sql: sql, arguments: arguments)
            return BatchDeleteResult(
                table: table, count: request.resultType == .count ? db.changesCount : nil, ids: nil)
        }
    }

    /// The ids as JSON, without texts that cannot be ids of the table.
    private func json(_ ids: [String], of table: ReaderTable) throws(ReaderStoreError) -> String {
        try doing("write ids for") { _ in
            let encoder = JSONEncoder()
            let data =
                if table == .readRecord { try encoder.encode(ids.filter(\.isStorable)) } else {
                    // "+7" and "007" are numbers, but never ids of rows.
                    try encoder.encode(
                        ids.compactMap { id in Int64(id).flatMap { "\($0)" == id ? $0 : nil } })
                }
            return String(decoding: data, as: UTF8.self)
        }
    }
}
