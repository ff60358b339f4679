import Archive
import FoundationEssentials
import Pruning
import Retention
import RuleEngine

/// A MariaDB database as a store that can be pruned.
package struct MariaDBStore: PrunableStore {
    /// The store as the policy names it.
    package let definition: StoreDefinition
    private let url: String
    private let archive: (any RowArchive)?
    private let rules: [RetentionRule]
    private let lockTime: LockTime
    private let monotonic: @Sendable () -> Duration
    private let claimed = ClaimInForce<RunClaim>()
    private let recent = RecentlyBound<BoundRule>()

    /// The database at `url`. `archive` receives the rows that rules with `archive = true` delete. `rules` are all of the
    /// policy on this store.
    package init(
        _ definition: StoreDefinition, url: String, archive: (any RowArchive)? = nil,
        rules: [RetentionRule] = [], lockTime: LockTime = LockTime(),
        monotonic: @escaping @Sendable () -> Duration
    ) {
        self.definition = definition
        (self.url, self.archive) = (url, archive)
        (self.rules, self.lockTime, self.monotonic) = (rules, lockTime, monotonic)
    }

    private func access() throws(StoreError) -> StoreAccess {
        var address = try Address(text: url, place: definition.place)
        address.needed = rules.first.flatMap { rule in
            address.names(of: rule.table).last.map { (rule.neededRights, $0) }
        }
        return StoreAccess(
            name: definition.name, address: address, rules: rules,
            gate: definition.gate, archive: archive, lockTime: lockTime, monotonic: monotonic, recent: recent)
    }

    package var servers: [ServerPlace] {
        guard let address = try? access().address else { return [] }
        return address.host.map { [.host($0)] } ?? address.socket.map {
            [.directory(String($0.prefix(upTo: $0.lastIndex(of: "/") ?? $0.startIndex)))]
        } ?? []
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
        let archive = try archive.orRefusal(of: part, place: definition.place)
        let session = try MariaDBRestoreSession(part, access: access(), claim: claimed.get(), control)
        return try Restorer(part, leaseEnd: leaseEnd, from: archive, into: session, control)
    }

    package func previewRestore(
        of part: ArchivedPart, _ control: RunControl
    ) throws(StoreError) -> RestoredBatch {
        let archive = try archive.orRefusal(of: part, place: definition.place)
        let view = try MariaDBView(access(), control)
        defer { view.close() }
        return try RestorePreview(of: part, from: archive, into: MariaDBRestoreLook(part: part, view: view))
            .take(control)
    }
}
