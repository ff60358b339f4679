import Foundation
import GRDB

/// An item of the app, with an id and a time.
public struct Item: Hashable, Codable, Sendable, Identifiable {
    /// Assigned by the store.
    public var id: Int64
    /// The item's time, in whole seconds.
    public var timestamp: Date
}

/// The app's items.
extension ReaderTransaction {
    /// Adds an item.
    @discardableResult
    public func addItem(at timestamp: Date) throws(ReaderStoreError) -> Item {
        let seconds = timestamp.storeSeconds
        return try doing("add an item to") { db in
            try db.cachedStatement(sql: "INSERT INTO item (timestamp) VALUES (?)").execute(arguments: [
                seconds
            ])
            return Item(id: db.lastInsertedRowID, timestamp: Date(storeSeconds: seconds))
        }
    }

    /// All items, newest first.
    public func items() throws(ReaderStoreError) -> [Item] {
        try doing("load the items of") { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT id, timestamp FROM item ORDER BY timestamp DESC, id DESC")
            return rows.map { Item(id: $0[0], timestamp: Date(storeSeconds: $0[1])) }
        }
    }
}
