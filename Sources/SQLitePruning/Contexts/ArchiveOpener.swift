import Archive
import Pruning
import Retention
import SQLite

/// Opens the archive's file like a store's.
private struct ArchiveOpener: ArchiveOpening {
    func read<Result>(
        _ path: String, _ operation: String, _ control: RunControl, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result {
        let view = try SQLiteView(path: path, control: control)
        defer { view.close() }
        return try view.read(operation) { db in try body(db) }
    }

    func verifyIntegrity(of path: String, _ control: RunControl) throws(StoreError) {
        let view = try SQLiteView(path: path, control: control)
        defer { view.close() }
        try view.verifyIntegrity()
    }

    func openForWriting(
        _ path: String, _ control: RunControl
    ) throws(StoreError) -> any ArchiveConnection {
        Opened(connection: try Connection(.write, path: path, control: control), control: control)
    }

    private struct Opened: ArchiveConnection {
        let connection: Connection
        let control: RunControl

        var identity: FileIdentity { connection.identity }

        func perform<Result>(
            _ operation: String, _ body: (Database) throws -> Result
        ) throws(StoreError) -> Result { try connection.perform(operation, body) }

        func write<Result>(
            _ operation: String, _ body: (Database) throws -> Result
        ) throws(StoreError) -> Result {
            try connection.perform(operation) { db in
                let watch = LockWatch(LockTime(), control)
                return try connection.progress.watched(by: watch, db) {
                    try db.beginImmediate()
                    watch.start()
                    do {
                        let result = try body(db)
                        watch.stop()
                        try db.commit()
                        return result
                    } catch {
                        watch.stop()
                        db.rollback()
                        throw watch.meaning(of: error)
                    }
                }
            }
        }

        func close() { connection.close() }
    }
}

extension ArchiveFile {
    /// The archive of a store; see ``init(stateDirectory:of:limit:others:obstacle:by:)``.
    package init(
        stateDirectory: String, of store: Name?, limit: ArchiveLimit, others: OtherArchives = .none,
        obstacle: StoreError? = nil
    ) {
        self.init(
            stateDirectory: stateDirectory, of: store, limit: limit, others: others, obstacle: obstacle,
            by: ArchiveOpener())
    }
}
