import FoundationEssentials
import Pruning
import Retention
import SQLite

extension Ledger: ConfirmationMemory {
    /// See `ConfirmationMemory`.
    package func begin(
        _ rule: Name, of rows: RowsFingerprint, at date: Date
    ) throws(StoreError) -> (any ConfirmedRest)? {
        let isHeld = try write("remember that a confirmed deletion begins") { tables in
            try tables.beginConfirmed(rule, of: rows, at: date)
        }
        return isHeld ? try LedgerRest(of: rule, left: rows, in: self) : nil
    }

    /// See `ConfirmationMemory`.
    package func forget(_ rule: Name) throws(StoreError) {
        try write("remember that a rule is not held") { try $0.forgetHold(of: rule) }
    }
}

/// Which rows are left of a confirmed deletion, written down after each batch: a run that is killed leaves behind what
/// was left, and not what it began with.
///
/// It does not wait for the disk: only one row is written, in its place. Whoever goes down with the machine may leave a record
/// that is not of the rows that are there. It covers none of them, and a person is asked once more.
private final class LedgerRest: ConfirmedRest {
    private let ledger: Ledger
    private let db: Database
    private let rule: Name
    private var left: RowsFingerprint

    init(of rule: Name, left: RowsFingerprint, in ledger: Ledger) throws(StoreError) {
        (self.ledger, self.rule, self.left) = (ledger, rule, left)
        do { db = try ledger.openForHaste() } catch { throw ledger.failure(error, Self.purpose) }
    }

    private static let purpose = "remember what is left of a confirmed deletion"

    func take(_ gone: RowsFingerprint) throws(StoreError) {
        left = left - gone
        do {
            try db.execute(
                "UPDATE confirmed_rest SET rows = :rows WHERE rule = :rule",
                ["rule": .text(rule.description), "rows": left.stored])
        } catch {
            throw ledger.failure(error, Self.purpose)
        }
    }
}
