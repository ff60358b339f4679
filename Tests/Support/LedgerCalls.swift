import Foundation
import Ledger
import Pruning
import Retention

/// Single operations on the ledger, for tests.
extension Ledger {
    package func lastRuns() -> [Name: LastRun] { readIfPossible(or: [:]) { try $0.lastRuns() } }

    package func record(
        _ rules: [RetentionRule], at date: Date, on places: [Name: String] = [:], reports: [RuleReport] = []
    ) throws(StoreError) {
        try write("remember the last runs") {
            try $0.recordRuns(of: rules, at: date, on: places, reports: reports)
        }
    }

    package func holds() -> [Name: Hold] { readIfPossible(or: [:]) { try $0.holds() } }

    package func record(
        _ reports: [RuleReport], at date: Date, announced: [Name: Date] = [:]
    ) throws(StoreError) {
        try write("remember the holds") { try $0.recordHolds(reports, at: date, announced: announced) }
    }

    package func confirm(_ rule: Name, at date: Date) throws(StoreError) -> Hold? {
        try write("confirm") { try $0.confirm(rule, at: date) }
    }

    /// The damage to the ledger; nil if it can be read or does not exist.
    package func findDamage() throws(StoreError) -> StateDamage? {
        try examine(or: ()) { try $0.checkAll() }.damage
    }

    package func append(_ entries: [HistoryEntry]) throws(StoreError) {
        try write("record the history") { try $0.append(entries) }
    }

    package func entries() throws(StoreError) -> [HistoryEntry] { try read(or: []) { try $0.history() } }
}
