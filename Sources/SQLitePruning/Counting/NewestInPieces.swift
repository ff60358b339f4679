import Pruning
import Retention
import SQLite

extension CensusInPieces {
    /// Finds the newest rows of groups. Throws ``StoreErrorKind/busy`` if the app wrote meanwhile, unless an index judges
    /// each row anew: it may have deleted rows that were counted among the newest.
    func lookForNewest(_ condition: inout ExpiryCondition, path: String, in db: Database) throws {
        let (before, version) = (condition, try db.dataVersion())
        try condition.lookForNewest(
            reading: { read in
                try each(of: before, path: path, in: db) { try read($0.terms, $0.arguments) }
            }, in: db)
        guard try condition.groupsAreIndexed || db.dataVersion() == version else {
            throw condition.newestChange(path)
        }
    }
}

extension ExpiryCondition {
    /// The error for an app that writes while the newest rows must stay as they were found.
    func newestChange(_ path: String) -> StoreError {
        let columns = (bound.groups.map(\.name) + [bound.time?.name ?? ""]).joined(separator: ", ")
        let key = bound.groups.isEmpty ? RuleKey.keepLast : .keepLastPer
        return StoreError(
            .busy, operation: "apply rule \(task.rule.name)", place: path,
            cause: "the app changes \(bound.table.name), whose newest rows \(key.rawValue) keeps",
            hint: "an index on \(bound.table.name) (\(columns)) finds them while it does")
    }
}
