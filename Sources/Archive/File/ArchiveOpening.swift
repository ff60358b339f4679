import Pruning
import SQLite

/// Opens the archive's file, with the same care as an app's file.
package protocol ArchiveOpening: Sendable {
    /// Runs `body` in one state of the file, and leaves no files beside it.
    func read<Result>(
        _ path: String, _ operation: String, _ control: RunControl, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result

    /// Throws ``StoreErrorKind/damaged`` if the file is.
    func verifyIntegrity(of path: String, _ control: RunControl) throws(StoreError)

    /// Opens the file, which exists, for writing.
    func openForWriting(_ path: String, _ control: RunControl) throws(StoreError) -> any ArchiveConnection
}

/// A connection to the archive that writes, for one thread at a time.
package protocol ArchiveConnection {
    /// The file that was opened.
    var identity: FileIdentity { get }

    /// Runs `body` outside of any transaction.
    func perform<Result>(
        _ operation: String, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result

    /// Runs `body` in a transaction, which does not take long and is committed when this returns.
    func write<Result>(
        _ operation: String, _ body: (Database) throws -> Result
    ) throws(StoreError) -> Result

    func close()
}
