import DefaultStore
import Foundation
import GRDB

/// How a store is opened: made when missing, and brought to this library's version.
enum StoreOpening {
    /// See ``ReaderStore/open(at:)``.
    static func open(at path: String) throws(ReaderStoreError) -> DatabaseQueue {
        guard path.isStorable else { throw .noPath(path) }
        try StoreCreation.createIfMissing(at: path)
        return try StoreCreation.patiently(at: path) {
            do {
                return try DatabaseQueue(path: path, configuration: configuration)
            } catch let error as DatabaseError {
                throw SQLiteFailure(error)
            }
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(TimeInterval(StoreCreation.patience.components.seconds))
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000")
        }
        return configuration
    }
}
