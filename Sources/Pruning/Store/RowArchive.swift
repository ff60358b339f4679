import FoundationEssentials
import Glibc
import Retention

/// Where rows are kept before they are deleted, so that they can be put back.
package protocol RowArchive: Sendable {
    /// Opens the archive to write, and makes it when it is missing.
    func openWriter(_ control: RunControl) throws(StoreError) -> any ArchiveWriter

    /// The rows of a store's table that were put back, and stay at `date` although they have expired. What was put back
    /// into a store that is known by that name no more counts for every store: it may have been renamed.
    func leases(of table: String, in store: Name, at date: Date) throws(StoreError) -> Leases
}

/// An archive that is open to write, for one thread at a time.
package protocol ArchiveWriter {
    /// Archives rows that the task is about to delete. When this returns, they outlive a power cut.
    ///
    /// Throws ``StoreError/Kind-swift.enum/archiveFull`` when it may get no larger.
    func archive(_ rows: ArchivedRows, of task: PruneTask) throws(StoreError)

    /// Throws when the archive is no longer where others look for it.
    func checkPlace() throws(StoreError)

    /// Takes the rows that were archived last out again: they were not deleted.
    func takeBack() throws(StoreError)

    /// Records that all archived rows were deleted from the store, and that no power cut brings them back there:
    /// what stands in a place of one of them is another row.
    func noteDeleted() throws(StoreError)

    /// Does what need not be done while rows wait to be deleted.
    func maintain() throws(StoreError)

    /// Closes the archive.
    func close()
}

/// Some rows of one table, as the kind of store that they are from encodes them.
package struct ArchivedRows: Equatable, Sendable {
    /// The columns that were stored, in the order in which each row has its values.
    package var columns: [String]
    /// Whether the first of them is none of the table's, but tells the place of a row that may have no key.
    package var hasPlace: Bool
    /// The rows, one after another.
    package var bytes: [UInt8]
    /// How many they are.
    package var count: Int64

    /// See the properties.
    package init(columns: [String], hasPlace: Bool = false, bytes: [UInt8] = [], count: Int64 = 0) {
        self.columns = columns
        self.hasPlace = hasPlace
        self.bytes = bytes
        self.count = count
    }
}
