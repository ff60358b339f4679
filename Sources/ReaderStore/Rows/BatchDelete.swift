import Foundation
import GRDB

/// A deletion of many rows, which loads none of them.
public struct BatchDelete: Hashable, Sendable {
    /// Which rows go.
    public enum Predicate: Hashable, Sendable {
        /// All.
        case all
        /// Those whose time is before this; of a feed, when it expires.
        case before(Date)
        /// Those with these ids, as text: as ``BatchDeleteResult/ids`` has them. What is no id of the table names no
        /// row.
        case ids([String])
    }

    /// What to answer with.
    public enum ResultType: Hashable, Sendable {
        /// That it was done.
        case status
        /// How many rows went.
        case count
        /// Which rows went.
        case ids
    }

    /// The table, with what belongs to its rows: a feed's articles go with it.
    public var table: ReaderTable
    /// Which rows go.
    public var predicate: Predicate
    /// What to answer with.
    public var resultType: ResultType

    /// See the properties.
    public init(_ table: ReaderTable, where predicate: Predicate, returning resultType: ResultType = .count) {
        self.table = table
        self.predicate = predicate
        self.resultType = resultType
    }
}

/// What a ``BatchDelete`` did.
public struct BatchDeleteResult: Hashable, Sendable {
    /// The table.
    public let table: ReaderTable
    /// How many rows went; nil when that was not asked for.
    public let count: Int?
    /// Which rows went, in no order; nil when that was not asked for.
    public let ids: [String]?
}

extension ReaderTransaction {
    /// Deletes what a request names, in this transaction.
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

    /// What cannot be an id of the table names no row of it.
    private func json(_ ids: [String], of table: ReaderTable) throws(ReaderStoreError) -> String {
        try doing("write ids for") { _ in
            let encoder = JSONEncoder()
            let data =
                if table == .readRecord { try encoder.encode(ids.filter(\.isStorable)) } else {
                    // "+7" and "007" are numbers, but no row's id.
                    try encoder.encode(
                        ids.compactMap { id in Int64(id).flatMap { "\($0)" == id ? $0 : nil } })
                }
            return String(decoding: data, as: UTF8.self)
        }
    }
}
