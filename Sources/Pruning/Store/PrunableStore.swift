import FoundationEssentials
import Retention

/// A store that can be pruned, of whatever kind.
///
/// A store hands out two contexts, each to one thread at a time. A context is open from its creation until
/// `close()`.
package protocol PrunableStore: Sendable {
    /// The store as the policy names it.
    var definition: StoreDefinition { get }

    /// Whether there is anything to prune yet. A store that its app has not created is not an error.
    func exists() -> Bool

    /// What the store takes on the disk, without opening it; nil where that is not known.
    func diskBytes() -> Int64?

    /// Throws when the store could not be pruned for reasons of access: permissions, ownership, what the file is.
    func checkAccess() throws(StoreError)

    /// Makes this process the only one that prunes the store, until the claim is released or the process ends.
    ///
    /// Throws ``StoreError/Kind-swift.enum/busy``, naming the holder, when another run has it.
    func claim() throws(StoreError) -> any StoreClaim

    /// Who has claimed the store just now, in that process's own words; nil when nobody is seen to have.
    func claimHolder() -> String?

    /// Opens the view context: reads, and writes nothing. Calls `control` while it is at work.
    func openView(_ control: RunControl) throws(StoreError) -> any ViewContext

    /// Opens the worker context, the one that deletes.
    func openWorker(_ control: RunControl) throws(StoreError) -> any WorkerContext

    /// Opens what puts the rows of `part` back; those of them that come back stay until `leaseEnd`, expired or not.
    func openRestorer(
        _ part: ArchivedPart, leaseEnd: Date, _ control: RunControl
    ) throws(StoreError) -> any RestoringContext

    /// What a restore would do, without writing anything. What a CHECK or a foreign key would refuse is not known before.
    func previewRestore(of part: ArchivedPart, _ control: RunControl) throws(StoreError) -> RestoredBatch
}

/// The right to prune a store, held by one run at a time.
package protocol StoreClaim: Sendable {
    /// Gives the right back. Happens by itself when the process ends, however it ends.
    func release()
}
