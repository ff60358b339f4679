import Foundation
import GRDB

/// The read records.
extension ReaderTransaction {
    /// Saves a record. An existing record with the same id is not changed, unless `updating`. An empty id is refused.
    public func save(_ record: ReadRecord, updating: Bool = false) throws(ReaderStoreError) {
        let operation = "save read record \(record.id.visible) in"
        try expectStorable(record.id, to: operation)
        guard !record.id.isEmpty else { throw .invalid(operation, path: path, cause: "its id is empty") }
        let conflict = updating ? "DO UPDATE SET created_at = excluded.created_at" : "DO NOTHING"
        try doing(operation) { db in
            try db.cachedStatement(
                sql: "INSERT INTO read_record (id, created_at) VALUES (?, ?) ON CONFLICT (id) \(conflict)"
            ).execute(arguments: [record.id, record.createdAt.storeSeconds])
        }
    }

    /// The records that are at most `keptDays` calendar days old, sorted by id. Older ones are left for the service.
    /// With `deletingExpired` they are deleted in this transaction, which must be a write. A record whose tweet still
    /// exists is not deleted, because the tweet would become unread again.
    ///
    /// Throws ``ReaderStoreError/Kind-swift.enum/invalid`` for less than one day.
    public func readRecords(
        keptDays: Int = ReadRecord.keptDays, in calendar: Calendar = .current, deletingExpired: Bool = false
    ) throws(ReaderStoreError) -> [ReadRecord] {
        guard keptDays > 0 else {
            throw .invalid(
                "load the read records of", path: path, cause: "they cannot be kept \(keptDays) days")
        }
        let days = min(keptDays, Self.everyDay)
        let cutoff = (calendar.date(byAdding: .day, value: -days, to: now) ?? .distantPast).storeSeconds
        return try doing("load the read records of") { db in
            if deletingExpired {
                try db.execute(
                    sql: """
                        DELETE FROM read_record WHERE created_at < ? AND NOT EXISTS (
                            SELECT 1 FROM tweet WHERE tweet.id = CAST(read_record.id AS INTEGER)
                                AND CAST(tweet.id AS TEXT) = read_record.id)
                        """, arguments: [cutoff])
            }
            let rows = try Row.fetchCursor(
                db, sql: "SELECT id, created_at FROM read_record WHERE created_at >= ? ORDER BY id",
                arguments: [cutoff])
            var records: [ReadRecord] = []
            while let row = try rows.next() {
                records.append(ReadRecord(id: row[0], createdAt: Date(storeSeconds: row[1])))
            }
            return records
        }
    }

    /// More days than the store's range of times, and few enough for calendar arithmetic.
    private static let everyDay = 4_000_000

    /// All records, expired or not, newest first.
    public func allReadRecords() throws(ReaderStoreError) -> [ReadRecord] {
        try doing("load the read records of") { db in
            let sql = "SELECT id, created_at FROM read_record ORDER BY created_at DESC, id"
            return try Row.fetchAll(db, sql: sql).map {
                ReadRecord(id: $0[0], createdAt: Date(storeSeconds: $0[1]))
            }
        }
    }

    /// Whether there is a read record with this id.
    public func isRead(_ id: String) throws(ReaderStoreError) -> Bool {
        guard id.isStorable else { return false }
        return try doing("look for a read record in") { db in
            let sql = "SELECT EXISTS (SELECT 1 FROM read_record WHERE id = ?)"
            return try Bool.fetchOne(db.cachedStatement(sql: sql), arguments: [id]) ?? false
        }
    }

    /// Deletes a record. Returns false when there was none.
    @discardableResult
    public func deleteReadRecord(_ id: String) throws(ReaderStoreError) -> Bool {
        guard id.isStorable else { return false }
        return try doing("delete a read record of") { db in
            try db.execute(sql: "DELETE FROM read_record WHERE id = ?", arguments: [id])
            return db.changesCount > 0
        }
    }
}
