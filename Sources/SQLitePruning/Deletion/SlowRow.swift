import Pruning

/// A row that cannot be deleted in a time that an app could wait for.
struct SlowRow {
    let bound: BoundRule
    let path: String

    /// What happened, what is to blame and what helps.
    func failure(_ error: LockWatch.Exceeded, in db: Database) throws -> StoreError {
        let table = bound.table.name
        let (reason, hint) = try blame(in: db)
        return StoreError(
            .tooSlow, operation: "delete a row of \(table)", place: path,
            cause: [error.cause, reason].compactMap(\.self).joined(separator: "; "), hint: hint)
    }

    private func blame(in db: Database) throws -> (reason: String?, hint: String) {
        if let scan = try ChildScan.all(deletingFrom: bound.tables, in: db).first {
            return (scan.cause, try scan.hint(in: db))
        }
        let triggers = try triggers(in: db)
        guard triggers.isEmpty else {
            return (
                "for each row runs trigger " + triggers.joined(separator: ", "),
                "the store's app must make that quicker; where it may take so long, raise hold in [batch]"
            )
        }
        let dependents = bound.rule.dependents.sorted().joined(separator: ", ")
        return (
            dependents.isEmpty ? nil : "its rows of \(dependents) go with it",
            "where an app may wait for so long, raise hold in [batch]"
        )
    }

    private func triggers(in db: Database) throws -> [String] {
        let reach = try DeleteReach(
            of: "DELETE FROM \(bound.table.name.quotedIdentifier) WHERE 0 < 1", in: db)
        return try db.rows("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name")
            .map(\.[0].string).filter(reach.code.contains)
    }
}
