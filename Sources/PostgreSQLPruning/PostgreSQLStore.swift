import Archive
import FoundationEssentials
import Pruning
import Retention

/// A PostgreSQL database as a store that can be pruned.
package struct PostgreSQLStore: PrunableStore {
    /// The store as the policy names it.
    package let definition: StoreDefinition
    private let access: StoreAccess
    private let holder: String
    private let claimed = ClaimInForce<RunClaim>()

    /// The database at `url`. `holder` tells other hosts who prunes it. `archive` receives the rows that rules with
    /// `archive = true` delete. `rules` are all of the policy on this store.
    package init(
        _ definition: StoreDefinition, url: String, holder: String, archive: (any RowArchive)? = nil,
        rules: [RetentionRule] = [], lockTime: LockTime = LockTime(),
        monotonic: @escaping @Sendable () -> Duration
    ) {
        self.definition = definition
        self.holder = holder
        access = StoreAccess(
            name: definition.name, address: Address(text: url, place: definition.place), rules: rules,
            gate: definition.gate, reclaims: definition.reclaim, archive: archive, lockTime: lockTime,
            replicas: ReplicaWatch(
                most: definition.maxLag.map { .seconds($0.approximateSeconds) },
                mostLog: definition.maxSlotLog),
            unit: PageUnit(isSmall: definition.maxRowsPerSecond != nil),
            monotonic: monotonic)
    }

    /// Only a connection can tell.
    package func exists() -> Bool { true }

    package func diskBytes() -> Int64? { nil }

    package func checkAccess() throws(StoreError) {
        let view = try PostgreSQLView(access, RunControl(monotonic: access.monotonic))
        defer { view.close() }
        try view.connection.refuseStandby(view.facts)
    }

    package func claim(_ control: RunControl) throws(StoreError) -> any StoreClaim {
        let claim = try RunClaim(access.address, holder: holder, control)
        claimed.set(claim)
        return claim
    }

    package func claimHolder() -> String? {
        guard let connection = try? Connection(access.address, RunControl(monotonic: access.monotonic)) else {
            return nil
        }
        defer { connection.close() }
        return (try? RunClaim.holder(in: connection)) ?? nil
    }

    package func openView(_ control: RunControl) throws(StoreError) -> any ViewContext {
        try PostgreSQLView(access, control)
    }

    package func openWorker(_ control: RunControl) throws(StoreError) -> any WorkerContext {
        try PostgreSQLWorker(access, claim: claimed.get(), control)
    }

    package func openRestorer(
        _ part: ArchivedPart, leaseEnd: Date, _ control: RunControl
    ) throws(StoreError) -> any RestoringContext {
        let archive = try access.archive.orRefusal(of: part, place: definition.place)
        let session = try PostgreSQLRestoreSession(part, access: access, claim: claimed.get(), control)
        return try Restorer(part, leaseEnd: leaseEnd, from: archive, into: session, control)
    }

    package func previewRestore(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> RestoredBatch {
        let archive = try access.archive.orRefusal(of: part, place: definition.place)
        let view = try PostgreSQLView(access, control)
        defer { view.close() }
        return try RestorePreview(
            of: part, from: archive, into: PostgreSQLRestoreLook(part: part, view: view)
        ).take(control)
    }
}
