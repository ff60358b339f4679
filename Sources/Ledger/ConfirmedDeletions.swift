import FoundationEssentials
import Pruning
import Retention
import SQLite

extension Ledger: ConfirmationMemory {
    /// See `ConfirmationMemory`.
    package func begin(
        _ rule: Name, by confirmed: Hold, of rows: RowsFingerprint, at date: Date
    ) throws(StoreError) -> (any ConfirmedRest)? {
        let isBegun = try write("remember that a confirmed deletion begins") { tables in
            try tables.beginConfirmed(rule, by: confirmed, of: rows, at: date)
        }
        return isBegun ? try LedgerRest(of: rule, left: rows, in: self) : nil
    }

    /// See `ConfirmationMemory`.
    package func forget(_ rule: Name) throws(StoreError) {
        try write("remember that a rule is not held") { try $0.forgetHold(of: rule) }
    }
}

/// Records after each batch which rows of a confirmed deletion are left. So a killed run leaves the record of the rest,
/// and not of the rows with which it began.
///
/// The record does not wait for the disk, and a batch writes only one row, in place. After a crash of the machine it
/// may describe other rows than those that are left. Then it covers none of them, and a person is asked again.
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
