import CSQLite
import Pruning
import Retention
import SQLite

/// Checks a rule against the schema that a connection sees, including cascades and triggers.
struct RuleValidation {
    let rule: RetentionRule
    let path: String
    /// Nil for a store that may have any schema.
    var gate: StoreGate?
    /// All rules of the policy on the store.
    var rules: [RetentionRule] = []

    /// Binds the rule to the schema. Throws ``StoreErrorKind/unknownSchema`` if the store does not pass its gate, and
    /// ``StoreErrorKind/schema`` if the rule does not fit.
    func bind(in db: Database) throws -> BoundRule {
        try translating {
            let known = try passGate(in: db)
            var bound = try BoundRule(rule, beside: rules, in: db)
            let reach = try checkReach(of: bound, in: db)
            try checkReads(of: bound, in: db)
            try known?.cover(reach, of: bound, in: db)
            bound.firesTriggers = reach.writes.contains { $0.trigger != nil }
            bound.code = reach.code.sorted()
            if bound.mark == nil { bound.refusing = try RefusingCondition.all(of: bound.table, in: db) }
            bound.mayRefuse = try RefusingTrigger.all(
                deletingFrom: bound.deletedTables, but: bound.refusing.map(\.trigger), in: db)
            try checkFullText(of: bound, reach, in: db)
            try checkArchive(reach, in: db)
            try checkEncoding(in: db)
            try Connection.refuseReservedBytes(db, path: path)
            return bound
        }
    }

    /// The same for reading only, without a check of what a DELETE would reach.
    func bindNames(in db: Database) throws -> BoundRule {
        try translating {
            _ = try passGate(in: db)
            return try BoundRule(rule, in: db)
        }
    }

    /// Throws if deleting one row takes longer than a batch should. It measures scans, so do not call it in a batch.
    func checkScans(
        of bound: BoundRule, _ lockTime: LockTime, _ progress: ProgressHandler, in db: Database
    ) throws {
        var left = lockTime.usual
        let long = try ChildScan.all(deletingFrom: bound.deletedTables, in: db).first { scan in
            guard let taken = try scan.time(within: left, progress, in: db) else { return true }
            left -= taken
            return false
        }
        guard let long else { return }
        throw StoreError(
            .tooSlow, operation: "apply rule \(rule.name)", place: path,
            cause: long.cause
                + "; that takes longer than the \(Int(lockTime.usual / .milliseconds(1))) ms of `lock_time`",
            hint: try long.hint(in: db))
    }

    private func passGate(in db: Database) throws -> StoreGate.Known? {
        try gate.map {
            try Gate($0, for: [SchemaUse(rule)], store: rule.store, place: path, names: .sqlite)
                .pass(StoreSchema(of: $0.tables, in: db))
        }
    }

    private func translating(_ body: () throws -> BoundRule) throws -> BoundRule {
        do {
            return try body()
        } catch let mismatch as SchemaMismatch {
            throw StoreError(
                .schema, operation: "apply rule \(rule.name)", place: path, cause: mismatch.cause,
                hint: mismatch.hint, setting: mismatch.setting(of: rule))
        }
    }

    /// The bytes of a text can be read without change only if it is stored as UTF-8.
    private func checkEncoding(in db: Database) throws {
        guard rule.archiveKeep != nil, try db.textEncoding() != SQLITE_UTF8 else { return }
        throw SchemaMismatch(
            "the store's text encoding is UTF-16, which cannot be archived",
            hint: "rules on such a store cannot have archive = true", keys: [RuleKey.archive.rawValue])
    }

    private func checkReach(of bound: BoundRule, in db: Database) throws -> DeleteReach {
        let table = bound.table.name
        let reach = try DeleteReach(of: bound.change("0 < 1"), in: db)
        let (own, verb) =
            bound.mark == nil ? (DeleteReach.Write.Operation.delete, "deleting") : (.update, "marking")
        let declared = Set(rule.dependents.map(\.comparedName))
        guard !declared.contains(table.comparedName),
            try !acts(on: bound.table, from: reach, in: db, by: \.cascades)
        else {
            throw SchemaMismatch(
                "deleting rows of \(table) would also delete other rows of \(table) (a foreign key), expired or not",
                hint: declared.contains(table.comparedName)
                    ? "remove \(table) from dependents: its rows that refer to others of it go first"
                    : "its rows go with those of another table that refers to it: leave such a table to its app"
            )
        }
        let keeping = try rule.keepingTables(of: bound.table, reach, in: db)
        // Rows that a foreign key deletes belong to the deleted row. A trigger may delete any rows, so only those may
        // fire whose text the gate knows.
        let isChangedByOthers = try acts(on: bound.table, from: reach, in: db, by: \.acts)
        let undeclared = try reach.writes.filter { write in
            let isOwn = write.table.comparedName == table.comparedName
            if let trigger = write.trigger {
                return try isOwn
                    || !(mayFire(trigger)
                        || IndexTrigger.index(of: trigger, at: .delete, on: bound.table, in: db) != nil)
            }
            // Marks leave the rows to which others refer.
            if bound.mark == nil, keeping.contains(write.table.comparedName) { return false }
            // Rows of the table go children first, so its own keys never act.
            if isOwn, write.operation == .update, bound.mark == nil, !isChangedByOthers { return false }
            let mayGo = write.operation == .delete && declared.contains(write.table.comparedName)
            return isOwn ? write.operation != own : !mayGo
        }
        if let first = undeclared.min(by: { $0.table < $1.table }) {
            let cause = first.trigger.map { "trigger \($0)" } ?? "a foreign key"
            throw SchemaMismatch(
                "\(verb) rows of \(table) would also \(first.operation.rawValue) rows of \(first.table)"
                    + " (\(cause)), which the rule does not declare",
                hint: first.trigger == nil
                    ? try keyHint(first, bound.table, in: db)
                    : "only a trigger that the store's triggers and [[store.\(rule.store).schema]] name may write, and not"
                        + " to the rule's table")
        }
        if let both = rule.dependents.sorted().first(where: { keeping.contains($0.comparedName) }) {
            throw SchemaMismatch(
                "\(both) is named by dependents and by kept_by, so none of its rows is ever deleted",
                hint: "remove it from dependents", keys: [RuleKey.dependents.rawValue])
        }
        if let trigger = try reach.ignoringTriggers(in: db).first(where: { !mayFire($0) }) {
            throw SchemaMismatch(
                "trigger \(trigger) may leave rows of \(table) as they are (RAISE(IGNORE))",
                hint:
                    "to let it fire, name it in the store's triggers, and its schema in [[store.\(rule.store).schema]]; write its"
                    + " condition into protect, so that it meets no row that it leaves")
        }
        let reached = Set(reach.writes.map(\.table.comparedName)).subtracting(keeping)
        // Otherwise each batch would release rows that the batch before it still kept, and that nobody has counted.
        if let keeper = bound.keepers.first(where: { reached.contains($0.table.name.comparedName) }) {
            throw SchemaMismatch(
                "kept_by names a column of \(keeper.table.name), whose rows the rule itself deletes",
                hint: "what is kept must not depend on what is deleted; name a column of another table",
                keys: [RuleKey.keptBy.rawValue])
        }
        if let stranger = rule.dependents.sorted().first(where: { !reached.contains($0.comparedName) }) {
            throw SchemaMismatch(
                "rows of \(stranger) would not be deleted with rows of \(table)",
                hint: "a dependent needs a foreign key with ON DELETE CASCADE",
                keys: [RuleKey.dependents.rawValue])
        }
        if let tombstones = bound.tombstones, reached.contains(tombstones.table.name.comparedName) {
            throw SchemaMismatch(
                "deleting rows of \(table) also deletes rows of \(tombstones.table.name), where tombstones would be",
                hint: "tombstones must stay when the row goes; name another table",
                keys: [RuleKey.tombstone.rawValue])
        }
        return reach
    }

    /// What a person can write so that a foreign key of another table may act on deletions, or never does.
    private func keyHint(_ write: DeleteReach.Write, _ table: TableSchema, in db: Database) throws -> String {
        let keys = try ForeignKey.all(in: db).over(write.table).filter {
            $0.acts && $0.parent.comparedName == table.name.comparedName
        }
        let keepers = keys.filter { $0.refers(toKeyOf: table) }
            .map { "\(write.table).\($0.columns[0].child)".inQuotes }
        let named = rule.keptBy.map(\.description.inQuotes) + keepers
        let keptBy = "kept_by = " + (named.count == 1 ? named[0] : "[\(named.joined(separator: ", "))]")
        let declared = (rule.dependents.sorted() + [write.table]).map(\.inQuotes)
        let dependents =
            "if those rows belong to them, write dependents = [\(declared.joined(separator: ", "))]"
        let isOther = write.table.comparedName != table.name.comparedName
        let canKeep = isOther && !keys.isEmpty && keepers.count == keys.count
        return switch (write.operation, canKeep) {
        case (.delete, true): dependents + "; if they keep them, \(keptBy)"
        case (.delete, false): dependents
        case (_, true): "rows that are referred to can stay: \(keptBy)"
        case (_, false):
            "a rule may not change the rows that refer to its own, and kept_by cannot name this key: leave such a"
                + " table to its app"
        }
    }

    /// Throws if a condition of the rule reads a table that the run writes to. A row would stay or go by rows that the
    /// run itself changes: in a batch before, by another rule, or between a plan and the run.
    private func checkReads(of bound: BoundRule, in db: Database) throws {
        let mayFire = !(gate?.triggers.isEmpty ?? true)
        guard bound.allConditions.contains(where: { mayFire || !$0.tables.isEmpty }) else { return }
        let others = rules.filter { $0.name != rule.name }
        for other in [rule] + others {
            for write in try TableWrite.all(by: other, in: db) {
                for condition in bound.allConditions {
                    try write.check(condition, on: bound.table, isOwn: other.name == rule.name)
                }
            }
        }
    }

    private func mayFire(_ trigger: String) -> Bool {
        gate?.triggers.contains { $0.comparedName == trigger.comparedName } ?? false
    }

    /// A trigger that updates the index is one that may fire. All others that write were refused already.
    private func checkFullText(of bound: BoundRule, _ reach: DeleteReach, in db: Database) throws {
        let tables = [bound.table.name] + rule.dependents
        let updated = Set(reach.writes.map(\.table.comparedName))
        guard let found = try ExternalContent.reading(tables, besides: updated, in: db) else { return }
        if let mark = bound.mark, try !found.indexes(mark.names, in: db) { return }
        throw SchemaMismatch(
            "the full-text index \(found.index) has its content in \(found.source) and is not updated by deletions: its"
                + " searches would fail",
            hint: "rows can be deleted only where the index has its own content (without content=)")
    }

    /// The archive takes only the rule's rows. A virtual table, such as a full-text index, is filled again by the
    /// trigger that fires when the row is restored.
    private func checkArchive(_ reach: DeleteReach, in db: Database) throws {
        guard rule.archiveKeep != nil else { return }
        let lost = try reach.writes.filter { $0.trigger != nil && $0.operation == .delete }
            .sorted { $0.table < $1.table }
            .first { try TableSchema.kind(of: $0.table, in: db)?.kind == .table }
        guard let lost, let trigger = lost.trigger else { return }
        throw SchemaMismatch(
            "trigger \(trigger) deletes rows of \(lost.table), which the archive does not take",
            hint: "rules on such a table cannot have archive = true", keys: [RuleKey.archive.rawValue])
    }

    /// Whether a foreign key also changes rows of `table` itself, expired or not, with those of another table that are
    /// deleted. SQLite's authorizer does not distinguish these from the rows that the statement deletes.
    private func acts(
        on table: TableSchema, from reach: DeleteReach, in db: Database, by isMeant: (ForeignKey) -> Bool
    ) throws -> Bool {
        let deleted = Set(reach.writes.filter { $0.operation == .delete }.map(\.table.comparedName))
        return try ForeignKey.all(in: db).over(table.name).contains {
            isMeant($0) && $0.parent.comparedName != table.name.comparedName
                && deleted.contains($0.parent.comparedName)
        }
    }
}
