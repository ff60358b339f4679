import Foundation
import Retention

/// What was put back of the rows that one rule deleted in one run.
package struct RestoreReport: Equatable, Sendable {
    /// Why an archived row was not put back. It stays in the archive until its time.
    package enum Skip: String, CaseIterable, Sendable {
        /// A row with its key, or with a value that must be unique, is there now.
        case exists
        /// The store has no such table anymore.
        case tableGone = "table_gone"
        /// The table lacks a column that the row has a value for.
        case columnGone = "column_gone"
        /// A constraint or a foreign key of the table does not allow it.
        case refused
        /// The archive has it no more as it was written.
        case damaged

        /// What a person reads of it.
        package var cause: String {
            switch self {
            case .exists: "a row with the same key is there now"
            case .tableGone: "the table is gone"
            case .columnGone: "the table lacks a column that they have"
            case .refused: "a constraint or a foreign key of the table refuses them"
            case .damaged: "the archive is damaged where they are"
            }
        }

        fileprivate var hint: String? {
            switch self {
            case .exists: nil
            case .tableGone, .columnGone:
                "they stay in the archive: create it again, and restore the run again"
            case .refused: "they stay in the archive: make what they need, and restore the run again"
            case .damaged: "restore the run again with a backup of the archive in its place, if there is one"
            }
        }
    }

    /// The rows.
    package let part: ArchivedPart
    /// How the rule's restore ended.
    package var outcome: Outcome
    /// The rows that were put back, or in a dry run would be.
    package var restored: Int64
    /// The rows that were not, by reason.
    package var skipped: [Skip: Int64]
    /// Why the outcome is not done.
    package var failure: StoreError?

    /// A report of nothing done yet.
    package init(_ part: ArchivedPart) {
        self.part = part
        outcome = .done
        restored = 0
        skipped = [:]
        failure = nil
    }

    /// Whether another try might put more rows back.
    var hasRefused: Bool { outcome == .done && skipped[.refused, default: 0] > 0 }

    /// The same, failed where rows are neither put back nor there already. `place` is the store's path.
    func judged(at place: String) -> RestoreReport {
        let left = Skip.allCases.filter { $0 != .exists && skipped[$0, default: 0] > 0 }
        guard outcome == .done, let first = left.first else { return self }
        var report = self
        report.outcome = .failed
        let count = left.reduce(0) { $0 + skipped[$1, default: 0] }
        report.failure = StoreError(
            left.contains(.damaged) ? .damaged : .other,
            operation: "put \(count.grouped) rows of run \(part.runID) back into \(part.table)", place: place,
            cause: left.map(\.cause).joined(separator: "; "), hint: first.hint)
        return report
    }

    /// Takes up what another try at the rows that were left has come to.
    mutating func goOn(with next: RestoreReport) {
        restored += next.restored
        (skipped, outcome, failure) = (next.skipped, next.outcome, next.failure)
    }

    mutating func add(_ batch: RestoredBatch) {
        restored += batch.result.deleted
        skipped.merge(batch.skipped, uniquingKeysWith: +)
    }
}

/// What the archive has of one rule in one run.
package struct ArchivedPart: Equatable, Sendable {
    /// The run's id.
    package let runID: String
    /// The rule that deleted the rows.
    package let rule: Name
    /// The store that they are from.
    package let store: Name
    /// The table that they are from.
    package let table: String
    /// How many there are still.
    package let rows: Int64
    /// When the run began.
    package let archivedAt: Date

    /// See the properties.
    package init(
        runID: String, rule: Name, store: Name, table: String, rows: Int64, archivedAt: Date
    ) {
        self.runID = runID
        self.rule = rule
        self.store = store
        self.table = table
        self.rows = rows
        self.archivedAt = archivedAt
    }
}

extension RestoreReport: Encodable {
    /// Scripts read these: they stay.
    enum CodingKeys: String, CodingKey {
        case rule, store, table, outcome, archived, restored, skipped, reason, hint
    }

    /// Encodes every key; what is not known is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(part.rule.description, forKey: .rule)
        try container.encode(part.store.description, forKey: .store)
        try container.encode(part.table, forKey: .table)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(part.rows, forKey: .archived)
        try container.encode(restored, forKey: .restored)
        let all = Skip.allCases.map { ($0.rawValue, skipped[$0] ?? 0) }
        try container.encode(Dictionary(uniqueKeysWithValues: all), forKey: .skipped)
        try container.encode(failure?.reason, forKey: .reason)
        try container.encode(failure?.hint, forKey: .hint)
    }
}
