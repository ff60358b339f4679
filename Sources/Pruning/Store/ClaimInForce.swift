import Synchronization

/// The claim of the run that is in progress on a store, which each batch tests.
package final class ClaimInForce<Claim: StoreClaim>: Sendable {
    private let claim = Mutex<Claim?>(nil)

    package init() {}

    package func set(_ new: Claim) { claim.withLock { $0 = new } }

    package func get() -> Claim? { claim.withLock { $0 } }
}
