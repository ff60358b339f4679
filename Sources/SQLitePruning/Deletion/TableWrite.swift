import CSQLite
import Conditions
import Retention
import SQLite

/// A table that a rule changes in a run: its own, its dependents, that of its tombstones, and those that triggers write.
struct TableWrite {
    let table: String
    /// What is said of the table: "of which rule NAME deletes rows".
    private let deed: String
    private let isDeletion: Bool
    /// Whether a trigger changes rows of the table and leaves them there.
    private let changesRows: Bool
    /// Set if each row that is deleted belongs to a row of the rule's table.
    private let dependents: OwnDependents?

    private init(
        _ table: String, _ deed: String, isDeletion: Bool = false, changesRows: Bool = false,
        dependents: OwnDependents? = nil
    ) {
        (self.table, self.deed, self.isDeletion, self.changesRows) = (table, deed, isDeletion, changesRows)
        self.dependents = dependents
    }

    /// Throws a ``SchemaMismatch`` if the condition reads the table. `isOwn` says whether both are of one rule.
    ///
    /// The rule's own table is no other table of its conditions. A trigger of another rule may still not change the
    /// values by which its rows are judged.
    func check(_ condition: RowCondition, on judged: TableSchema, isOwn: Bool) throws {
        let isChanged = !isOwn && changesRows && judged.name.comparedName == table.comparedName
        let found = condition.tables.first { $0.name.comparedName == table.comparedName }?.name
        guard let read = found ?? (isChanged ? judged.name : nil) else { return }
        if isOwn, dependents?.areAllThatIsRead(by: condition.condition) == true { return }
        let hint =
            isDeletion && !isOwn
            ? "name its column in kept_by: that rule then runs first"
            : isOwn
                ? dependents.map { "read only the rows that belong to the row itself: \($0.existence)" } : nil
        throw condition.refusal(
            "reads \(read), \(deed)", hint: hint ?? "what is kept must not depend on what the run changes")
    }

    /// What `rule` writes, whether or not it can run.
    static func all(by rule: RetentionRule, in db: Database) throws -> [TableWrite] {
        let name = rule.name
        let deletes = "of which rule \(name) deletes rows"
        var writes = [
            rule.action.isMark
                ? TableWrite(rule.table, "whose rows rule \(name) marks")
                : TableWrite(rule.table, deletes, isDeletion: true)
        ]
        writes += [rule.tombstone].compactMap(\.self).map {
            TableWrite($0.table, "where rule \(name) leaves tombstones")
        }
        guard let table = try TableSchema(rule.table, in: db), let reach = try reach(of: rule, in: db) else {
            return writes + rule.dependents.sorted().map { TableWrite($0, deletes, isDeletion: true) }
        }
        writes += try rule.dependents.sorted().map {
            TableWrite(
                $0, deletes, isDeletion: true, dependents: try OwnDependents(of: table, in: $0, reach, in: db)
            )
        }
        let keeping = try rule.keepingTables(of: table, reach, in: db)
        let spared = keeping.union([table.name.comparedName])
        let reached = reach.writes.filter { !spared.contains($0.table.comparedName) }
        writes += try reached.sorted {
            ($0.table, $0.operation.rawValue) < ($1.table, $1.operation.rawValue)
        }.map {
            let cause = $0.trigger.map { "trigger \($0)" } ?? "a foreign key"
            return TableWrite(
                $0.table, "which changes with the rows of rule \(name) (\(cause))",
                changesRows: $0.operation != .delete,
                dependents: try OwnDependents(of: table, in: $0.table, reach, in: db))
        }
        return writes
    }

    /// Nil if the schema lacks what the rule names: then it does not run.
    private static func reach(of rule: RetentionRule, in db: Database) throws -> DeleteReach? {
        let name = rule.table.quotedIdentifier
        let sql =
            switch rule.action {
            case .delete: "DELETE FROM \(name) WHERE 0 < 1"
            case .mark(let columns):
                "UPDATE \(name) SET "
                    + columns.map { "\($0.column.quotedIdentifier) = NULL" }.joined(separator: ", ")
                    + " WHERE 0 < 1"
            }
        do {
            return try DeleteReach(of: sql, in: db)
        } catch {
            guard error.code & 0xFF == SQLITE_ERROR else { throw error }
            return nil
        }
    }
}

extension OwnDependents {
    /// Nil unless rows of `name` are deleted by one foreign key alone, which refers to `owner`, and equal values of its
    /// columns mean the same row to any comparison.
    init?(of owner: TableSchema, in name: String, _ reach: DeleteReach, in db: Database) throws {
        let writes = reach.writes.filter { $0.table.comparedName == name.comparedName }
        let deleted = Set(reach.writes.filter { $0.operation == .delete }.map(\.table.comparedName))
        let keys = try ForeignKey.all(in: db).over(name).filter {
            $0.acts && deleted.contains($0.parent.comparedName)
        }
        guard name.comparedName != owner.name.comparedName, writes.allSatisfy({ $0.trigger == nil }),
            keys.count == 1, let key = keys.first, key.cascades,
            key.parent.comparedName == owner.name.comparedName,
            let table = try TableSchema(name, in: db),
            key.columns.allSatisfy({ table.compares($0.child, like: $0.parent, of: owner) })
        else { return nil }
        self.init(
            of: owner.name, in: table.name,
            by: key.columns.map { column in
                (table.columnNamed(column.child)?.name ?? "", owner.columnNamed(column.parent)?.name ?? "")
            })
    }
}

extension TableSchema {
    /// Whether two columns have the same type and collation.
    fileprivate func compares(_ name: String, like other: String, of table: TableSchema) -> Bool {
        guard let column = columnNamed(name), let other = table.columnNamed(other) else { return false }
        let types = [column, other].map { $0.type.uppercased() }
        return (types[0] == types[1] || types.allSatisfy { $0.contains("INT") })
            && column.collation.comparedName == other.collation.comparedName
    }
}

extension RetentionRule {
    /// The tables that a foreign key reaches, and in which it deletes and changes nothing: `kept_by` names the very column
    /// of the foreign key, so a row to which rows of theirs refer is kept by them. `table` is the rule's.
    func keepingTables(
        of table: TableSchema, _ reach: DeleteReach, in db: Database
    ) throws -> Set<[UInt8]> {
        let columns = Dictionary(grouping: keptBy, by: \.table.comparedName)
            .mapValues { Set($0.map(\.column.comparedName)) }
        guard !columns.isEmpty else { return [] }
        let deleted = Set(reach.writes.filter { $0.operation == .delete }.map(\.table.comparedName))
        let keys = try ForeignKey.all(in: db).filter { $0.acts && deleted.contains($0.parent.comparedName) }
        let triggered = Set(reach.writes.filter { $0.trigger != nil }.map(\.table.comparedName))
        let own = table.name.comparedName
        return Set(columns.keys).subtracting(triggered.union([own])).filter { keeper in
            keys.filter { $0.child.comparedName == keeper }.allSatisfy { key in
                key.refers(toKeyOf: table)
                    && columns[keeper]?.contains(key.columns[0].child.comparedName) == true
            }
        }
    }
}
