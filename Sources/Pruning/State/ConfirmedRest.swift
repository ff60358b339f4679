import FoundationEssentials
import Glibc
import Retention

/// Remembers how far confirmed deletions have come, so that what an early end leaves of one is confirmed, too, and no other
/// rows.
package protocol ConfirmationMemory: Sendable {
    /// The rule's confirmed deletion of `rows` begins at `date`. Returns what is to be told which of them went; nil when the
    /// rule is not held. What cannot be remembered must not begin.
    func begin(
        _ rule: Name, of rows: RowsFingerprint, at date: Date
    ) throws(StoreError) -> (any ConfirmedRest)?

    /// Remembers no more that the rule was held: it runs as it is, unheld.
    func forget(_ rule: Name) throws(StoreError)
}

/// Which rows are left of a confirmed deletion that is going on.
package protocol ConfirmedRest: AnyObject {
    /// Writes down that these rows went.
    func take(_ gone: RowsFingerprint) throws(StoreError)
}
