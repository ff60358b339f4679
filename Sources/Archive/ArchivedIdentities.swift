import FoundationEssentials
import Pruning
import Retention

/// The rows that one rule deleted, by what they are recognized when they come back.
///
/// An identity is a 64-bit hash of a row's values in the columns of the rule's `identity`; 0 if all of them are NULL,
/// which identifies no row.
package struct IdentitySource: Hashable, Sendable {
    package let store: Name
    package let rule: Name
    package let table: String
    /// How the identities are made: a hash of the columns' names and of what the rule does with its rows.
    package let kind: UInt64

    package init(_ rule: RetentionRule, kind: UInt64) {
        (store, self.rule, table) = (rule.store, rule.name, rule.table)
        self.kind = kind
    }

    /// That of a store that writes values as texts. Rows that were marked are in the table still, so a rule that marks by other
    /// values, or deletes by now, must not take them for rows that came back.
    package init(_ rule: RetentionRule, columns names: [String]) {
        var bytes: [UInt8] = []
        for name in names { TextEncoding.append(Array(name.utf8), to: &bytes) }
        if case .mark(let columns) = rule.action {
            TextEncoding.append(nil as [UInt8]?, to: &bytes)
            for column in columns { TextEncoding.append(Array("\(column)".utf8), to: &bytes) }
        }
        self.init(rule, kind: Leases.fingerprint(of: bytes))
    }
}

/// What one look at a table leaves for the next one.
package struct LastLook: Equatable, Sendable {
    /// When the run of the look began.
    package let date: Date
    /// The last row of the table then, if rows have numbers. SQLite gives the number again once the row is gone.
    package let row: Int64?
    /// The identity of that row; nil if it had none.
    package let identity: UInt64?

    package init(at date: Date, row: Int64?, identity: UInt64?) {
        (self.date, self.row, self.identity) = (date, row, identity)
    }
}

/// The identities in the archive, during one look at the store, for one thread at a time.
package protocol ArchivedIdentities {
    /// Nil if there was no look, or none that ended.
    var lastLook: LastLook? { get }

    /// Counts those of `candidates` that are in the archive, and takes them out, so that each counts only once.
    /// `candidates` are in ascending order, without duplicates, and are rows of the store.
    ///
    /// Rows of a run that was killed do not count: they may never have left the store. If the look does not end, the
    /// next one that ends counts what was taken out.
    func take(_ candidates: [UInt64]) throws(StoreError)

    /// Ends the look, remembers it, and returns how many rows came back since the last one that ended.
    func end(_ look: LastLook) throws(StoreError) -> Int64

    func close()
}
