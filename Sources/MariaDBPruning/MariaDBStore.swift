import FoundationEssentials
import Pruning
import Retention
import Synchronization

/// A MariaDB database as a store that can be pruned.
package struct MariaDBStore: PrunableStore {
    /// The store as the policy names it.
    package let definition: StoreDefinition
    private let url: String
    private let rules: [RetentionRule]
    private let lockTime: LockTime
    private let monotonic: @Sendable () -> Duration
    private let claimed = ClaimInForce()

    /// The database at `url`. `rules` are all of the policy on this store. Nothing of it is archived.
    package init(
        _ definition: StoreDefinition, url: String, rules: [RetentionRule] = [], lockTime: LockTime = LockTime(),
        monotonic: @escaping @Sendable () -> Duration
    ) {
        self.definition = definition
        (self.url, self.rules, self.lockTime, self.monotonic) = (url, rules, lockTime, monotonic)
    }

    private func access() throws(StoreError) -> StoreAccess {
        StoreAccess(
            name: definition.name, address: try Address(text: url, place: definition.place), rules: rules,
            gate: definition.gate, lockTime: lockTime, monotonic: monotonic)
    }

    package var servers: [ServerPlace] {
        guard let address = try? access().address else { return [] }
        return address.host.map { [.host($0)] } ?? address.socket.map { [.directory(String($0.prefix(upTo: $0.lastIndex(of: "/") ?? $0.startIndex)))] } ?? []
    }

    /// Only a connection can tell.
    package func exists() -> Bool { true }

    package func diskBytes() -> Int64? { nil }

    package func checkAccess() throws(StoreError) {
        let view = try MariaDBView(access(), RunControl(monotonic: monotonic))
        defer { view.close() }
        try view.facts.refuseReplica(place: definition.place)
    }

    package func claim(_ control: RunControl) throws(StoreError) -> any StoreClaim {
        let claim = try RunClaim(access().address, control)
        claimed.set(claim)
        return claim
    }

    package func claimHolder() -> String? {
        guard let address = try? access().address,
            let connection = try? Connection(address, RunControl(monotonic: monotonic))
        else { return nil }
        defer { connection.close() }
        return (try? RunClaim.holder(in: connection)) ?? nil
    }

    package func openView(_ control: RunControl) throws(StoreError) -> any ViewContext {
        try MariaDBView(access(), control)
    }

    package func openWorker(_ control: RunControl) throws(StoreError) -> any WorkerContext {
        try MariaDBWorker(access(), claim: claimed.get(), control)
    }

    package func openRestorer(
        _ part: ArchivedPart, leaseEnd: Date, _ control: RunControl
    ) throws(StoreError) -> any RestoringContext {
        throw noArchive(part)
    }

    package func previewRestore(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> RestoredBatch {
        throw noArchive(part)
    }

    private func noArchive(_ part: ArchivedPart) -> StoreError {
        StoreError(
            .unsupported, operation: "restore run \(part.runID)", place: definition.place,
            cause: "rows of a MariaDB store are not archived", hint: "they cannot be put back")
    }
}

/// The claim of the run that is in progress, which each batch tests.
private final class ClaimInForce: Sendable {
    private let claim = Mutex<RunClaim?>(nil)

    func set(_ new: RunClaim) { claim.withLock { $0 = new } }

    func get() -> RunClaim? { claim.withLock { $0 } }
}
