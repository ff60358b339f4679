import FoundationEssentials
import Retention

/// A store of any kind that can be pruned.
///
/// A store opens contexts for reading and for writing. Each context may be used by one thread at a time. It is open
/// from its creation until `close()`.
package protocol PrunableStore: Sendable {
    /// The store's definition in the policy.
    var definition: StoreDefinition { get }

    /// The servers that have the store; empty for a file.
    var servers: [ServerPlace] { get }

    /// Whether the store exists. It is not an error if its app has not created it yet.
    func exists() -> Bool

    /// The store's size on disk, read without opening it; nil where unknown.
    func diskBytes() -> Int64?

    /// Throws when permissions, ownership or the file's type prevent pruning the store.
    func checkAccess() throws(StoreError)

    /// Makes this run the only one that prunes the store, until the claim is released or the process ends.
    ///
    /// Throws ``StoreErrorKind/busy``, naming the other run, when one has claimed it.
    func claim(_ control: RunControl) throws(StoreError) -> any StoreClaim

    /// The run that has claimed the store now, as its process describes itself; nil when none is seen.
    func claimHolder() -> String?

    /// Opens the view context, which only reads. Reports progress to `control`.
    func openView(_ control: RunControl) throws(StoreError) -> any ViewContext

    /// Opens the worker context, which deletes.
    func openWorker(_ control: RunControl) throws(StoreError) -> any WorkerContext

    /// Opens a context that restores the rows of `part`. Restored rows stay until `leaseEnd`, even if they have
    /// expired.
    func openRestorer(
        _ part: ArchivedPart, leaseEnd: Date, _ control: RunControl
    ) throws(StoreError) -> any RestoringContext

    /// What a restore would do; writes nothing. Rows that a CHECK or a foreign key would reject are not known in
    /// advance.
    func previewRestore(of part: ArchivedPart, _ control: RunControl) throws(StoreError) -> RestoredBatch
}

extension PrunableStore {
    package var servers: [ServerPlace] { [] }
}

/// The exclusive right of one run to prune a store.
package protocol StoreClaim: Sendable {
    /// Releases the claim. The end of the process also releases it, however it ends.
    func release()
}
