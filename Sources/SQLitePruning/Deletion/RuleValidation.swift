import CSQLite
import Pruning
import Retention
import RuleEngine
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
            let own = try DeleteReach(by: rule, in: db)
            var bound = try BoundRule(rule, beside: rules, mayFire: !triggers.isEmpty, in: db) { other in
                guard other.name != rule.name else { return try triggered(by: other, own, in: db) }
                return try triggers.isEmpty
                    ? [] : triggered(by: other, DeleteReach(by: other, in: db), in: db)
            }
            // What cannot be compiled says why.
            let reach = try own ?? DeleteReach(of: bound.change("0 < 1"), in: db)
            try checkActions(reach, of: bound, in: db)
            try known?.cover(reach, of: bound, in: db)
            bound.firesTriggers = reach.writes.contains { $0.trigger != nil }
            bound.code = reach.code.sorted()
            bound.readByCode = try readByCode(reach, of: bound, in: db)
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

    /// Throws if a table that the rule's conditions read has values that they cannot compare. It may read whole tables, so do
    /// not call it in a batch.
    func checkKinds(of bound: BoundRule, in db: Database) throws {
        _ = try translating {
            try bound.conditions.checkKinds(in: db)
            return bound
        }
    }

    /// Throws if deleting one row takes longer than a batch should. It measures scans, so do not call it in a batch.
    func checkScans(
        of bound: BoundRule, _ lockTime: LockTime, _ progress: ProgressHandler, in db: Database
    ) throws {
        var left = lockTime.usual
        let long = try ChildScan.all(of: bound, in: db).first { scan in
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
            throw mismatch.error(of: rule, place: path)
        }
    }

    /// The bytes of a text can be read without change only if it is stored as UTF-8.
    private func checkEncoding(in db: Database) throws {
        guard rule.archiveKeep != nil, try db.textEncoding() != SQLITE_UTF8 else { return }
        throw SchemaMismatch(
            "the store's text encoding is UTF-16, which cannot be archived",
            hint: "rules on such a store cannot have archive = true", keys: [RuleKey.archive.rawValue])
    }

    /// What triggers change with the rows of a rule of the store. Those of another rule may fire only if the gate names them.
    /// Throws a ``SchemaMismatch`` for a trigger of this rule that may not fire: a foreign key deletes rows that belong to the
    /// deleted row, and a trigger any rows.
    private func triggered(
        by other: RetentionRule, _ reach: DeleteReach?, in db: Database
    ) throws -> [TableWrite.ByTrigger] {
        guard let reach, let table = try TableSchema(other.table, in: db) else { return [] }
        let writes: [TableWrite.ByTrigger] = reach.writes.compactMap { write in
            write.trigger.map {
                .init($0, TableName(write.table), isDeletion: write.operation == .delete)
            }
        }.sorted { ($0.table, $0.trigger) < ($1.table, $1.trigger) }
        let following = try following(writes, in: db)
        if other.name == rule.name {
            try checkTriggers(reach, on: table, in: db)
            try checkFollowing(following, on: table)
        }
        return writes + following
    }

    /// What foreign keys do with rows that refer to those that triggers delete, and to these in turn.
    private func following(
        _ writes: [TableWrite.ByTrigger], in db: Database
    ) throws -> [TableWrite.ByTrigger] {
        var waiting = writes.filter(\.isDeletion)
        guard !waiting.isEmpty else { return [] }
        let keys = try ForeignKey.all(in: db).filter(\.acts)
        var found: [TableWrite.ByTrigger] = []
        while let write = waiting.popLast() {
            for key in keys.under(write.table.name) {
                let next = TableWrite.ByTrigger(write.trigger, key.child, isDeletion: key.cascades)
                guard !found.contains(next) else { continue }
                found.append(next)
                if key.cascades { waiting.append(next) }
            }
        }
        return found
    }

    /// Rows that refer to those that a trigger deletes belong to whatever row; so they must be declared, and never are the
    /// rule's own.
    private func checkFollowing(_ following: [TableWrite.ByTrigger], on table: TableSchema) throws {
        let declared = Set(rule.dependents.map(\.comparedName)).subtracting([table.name.comparedName])
        guard let first = following.first(where: { !declared.contains($0.table.name.comparedName) }) else {
            return
        }
        throw SchemaMismatch(
            "\(rule.action.isMark ? "marking" : "deleting") rows of \(table.name) would also"
                + " \(first.isDeletion ? "delete" : "update") rows of \(first.table) (a foreign key to rows that trigger"
                + " \(first.trigger) deletes), which the rule does not declare",
            hint: StoreHint.leaveToApp)
    }

    private func checkTriggers(_ reach: DeleteReach, on table: TableSchema, in db: Database) throws {
        let undeclared = try reach.writes.filter { write in
            guard let trigger = write.trigger else { return false }
            return try write.table.comparedName == table.name.comparedName
                || !(mayFire(trigger)
                    || IndexTrigger.index(of: trigger, at: .delete, on: table, in: db) != nil)
        }
        if let first = undeclared.min(by: { $0.table < $1.table }) {
            throw SchemaMismatch(
                "\(rule.action.isMark ? "marking" : "deleting") rows of \(table.name) would also"
                    + " \(first.operation.rawValue) rows of \(first.table) (trigger \(first.trigger ?? "")), which the rule does not"
                    + " declare",
                hint:
                    "only a trigger that the store's triggers and [[store.\(rule.store).schema]] name may write, and not"
                    + " to the rule's table")
        }
        if let trigger = try reach.ignoringTriggers(in: db).first(where: { !mayFire($0) }) {
            throw SchemaMismatch(
                "trigger \(trigger) may leave rows of \(table.name) as they are (RAISE(IGNORE))",
                hint:
                    "to let it fire, name it in the store's triggers, and its schema in [[store.\(rule.store).schema]]; write its"
                    + " condition into protect, so that it meets no row that it leaves")
        }
    }

    /// Throws if SQLite would run an action that no foreign key of the catalog explains, such as that of a key to a table from
    /// which a trigger deletes.
    private func checkActions(_ reach: DeleteReach, of bound: BoundRule, in db: Database) throws {
        let keys =
            bound.binding.cascades + (bound.binding.ownKeys + bound.binding.replacedKeys).filter(\.acts)
        typealias Write = DeleteReach.Write
        let expected = Set(
            keys.map { Write($0.cascades ? .delete : .update, $0.child.name) }
                + [Write(bound.mark == nil ? .delete : .update, bound.table.name)])
        let found = reach.writes.subtracting(expected).filter { $0.trigger == nil }
        guard let first = found.min(by: { $0.table < $1.table }) else { return }
        throw SchemaMismatch(
            "\(bound.mark == nil ? "deleting" : "marking") rows of \(bound.table.name) would also"
                + " \(first.operation.rawValue) rows of \(first.table) (a foreign key), which the rule does not declare",
            hint: StoreHint.leaveToApp)
    }

    /// The triggers that may fire.
    private var triggers: Set<String> { gate?.triggers ?? [] }

    private func mayFire(_ trigger: String) -> Bool {
        triggers.contains { $0.comparedName == trigger.comparedName }
    }

    /// The tables that triggers and views read. SQLite also says so of the table whose old row a trigger looks at: of a table of
    /// the rule, one of them must name it otherwise than as the table that it is on.
    private func readByCode(_ reach: DeleteReach, of bound: BoundRule, in db: Database) throws -> [String] {
        guard !reach.codeReads.isEmpty else { return [] }
        let code = try db.rows(
            "SELECT name, tbl_name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')"
        )
        .filter { reach.code.contains($0[0].string) }
        let own = bound.tables.map(\.comparedName).filter { table in
            code.allSatisfy { object in
                let named = SQLToken.all(of: object[2].string).count { $0.text.comparedName == table }
                return named <= (object[1].string.comparedName == table ? 1 : 0)
            }
        }
        return reach.codeReads.subtracting(own).map { String(decoding: $0, as: UTF8.self) }.sorted()
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
}

extension DeleteReach {
    /// What the statements of `rule` would change; nil if the schema lacks what it names: then it does not run.
    fileprivate init?(by rule: RetentionRule, in db: Database) throws {
        let name = rule.table.quotedIdentifier
        let own =
            switch rule.action {
            case .delete: "DELETE FROM \(name) WHERE 0 < 1"
            case .mark(let columns):
                "UPDATE \(name) SET "
                    + columns.map { "\($0.column.quotedIdentifier) = NULL" }.joined(separator: ", ")
                    + " WHERE 0 < 1"
            }
        let detached = rule.detach.map {
            "UPDATE \($0.table.quotedIdentifier) SET \($0.column.quotedIdentifier) = NULL WHERE 0 < 1"
        }
        let dependents = rule.dependentColumns.map { "DELETE FROM \($0.table.quotedIdentifier) WHERE 0 < 1" }
        do {
            try self.init(of: [own] + detached + dependents, in: db)
        } catch {
            guard error.code & 0xFF == SQLITE_ERROR else { throw error }
            return nil
        }
    }
}
