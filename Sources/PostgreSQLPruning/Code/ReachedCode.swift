import Retention
import RuleEngine

/// The code of tables' owners that would run with the rights of the role that prunes, when it deletes or marks rows.
///
/// PostgreSQL runs triggers, rules, and the functions of checks and indexes as the role whose statement it is, and a
/// trigger may even reset the role. An index's functions run while a statement on its table is only planned.
struct ReachedCode: Equatable {
    struct Finding: Hashable {
        enum Kind: String {
            case trigger, rule, policy
            case check, index, statistics, partition
            case generated = "generated column"
            case initial = "default"
            case domain, cast
        }

        let kind: Kind
        /// The table, as rules write it.
        let table: String
        /// The name of the trigger, rule, policy, constraint, index or column.
        let name: String
        /// The code, as the catalog has it.
        let definition: String

        /// Whether it is a trigger that decides of each row before that goes, or whose function may raise an error.
        var mayRefuse: Bool {
            guard kind == .trigger else { return false }
            return definition.contains(" BEFORE ") && definition.contains(" FOR EACH ROW ")
                || definition.lowercased().contains("raise")
        }

        /// The function of a trigger, as the server writes its name; nil if it has none.
        var function: Substring? {
            guard kind == .trigger, let call = definition.firstRange(of: "EXECUTE FUNCTION ") else {
                return nil
            }
            return definition[call.upperBound...].prefix { $0 != "(" }
        }
    }

    /// By table, kind and name.
    let findings: [Finding]

    /// What runs when a rule does `action` with rows of `relation`, leaves tombstones with these columns, and reads the
    /// tables `read`. `declared` are the keys that it follows itself.
    init(
        of action: RowAction, on relation: Relation, tombstones: (table: Relation, columns: [String])? = nil,
        reading read: [Relation] = [], declared: [ForeignKeyConstraint] = [], in connection: Connection
    ) throws {
        var rows: Set<ReachedRows> = []
        func reach(_ table: UInt32, _ operation: RowOperation) throws {
            let tables = try connection.partitionTree(of: table)
            let isNew = rows.insert(ReachedRows(tables: tables, operation: operation)).inserted
            guard isNew, operation == .delete else { return }
            for key in try connection.foreignKeys(to: tables) {
                switch key.key.onDelete {
                case .none, .restrict: continue
                case .cascade: try reach(key.child, .delete)
                case .setNull, .setDefault: try reach(key.child, .update(key.childColumns))
                }
            }
        }
        try reach(relation.oid, action.isMark ? .update(action.columns) : .delete)
        for key in declared { try reach(key.child, key.cascades ? .delete : .update(key.childColumns)) }
        if let tombstones { try reach(tombstones.table.oid, .insert(tombstones.columns)) }
        var found: Set<Finding> = []
        for reached in rows {
            found.formUnion(try connection.statements(on: reached))
            found.formUnion(try connection.calculations(on: reached))
        }
        // Values are converted where columns get them: marks, and tombstones from the rule's columns.
        if action.isMark || tombstones != nil {
            for table in [relation, tombstones?.table].compactMap(\.self) {
                found.formUnion(try connection.casts(of: table))
            }
        }
        for table in read { found.formUnion(try connection.calculations(readFrom: table.oid)) }
        findings = found.sorted {
            ($0.table, $0.kind.rawValue, $0.name, $0.definition)
                < ($1.table, $1.kind.rawValue, $1.name, $1.definition)
        }
    }

    /// Throws a ``SchemaMismatch`` if code of somebody who is no superuser would run when `table` is only read.
    static func checkReading(_ table: Relation, in connection: Connection) throws {
        try ReachedCode(findings: connection.calculations(readFrom: table.oid)).check()
    }

    private init(findings: [Finding]) { self.findings = findings }

    /// The triggers, without which the rest could not be told apart.
    var triggers: [Finding] { findings.filter { $0.kind == .trigger } }

    /// Throws a ``SchemaMismatch`` if any of it would run that is no trigger in `allowed`, whose text a gate compares.
    func check(allowing allowed: Set<String> = []) throws {
        guard let first = findings.first(where: { $0.kind != .trigger || !allowed.contains($0.name) }) else {
            return
        }
        switch first.kind {
        case .trigger:
            throw SchemaMismatch(
                "trigger \(first.name) on \(first.table) would run with the rights of the role that prunes",
                hint:
                    "only a trigger that the store's preset names in triggers = [\"\(first.name)\"] may fire")
        case .rule:
            throw SchemaMismatch(
                "\(first.table) has the rule \(first.name), which rewrites the statement",
                hint: "PostgreSQL's rules cannot be checked; a trigger that a preset names can be")
        case .policy:
            throw SchemaMismatch(
                "\(first.table) has row-level security (\(first.name)), so the role would see only some of its rows",
                hint: "prune it with a role to which the policies do not apply, such as the table's owner")
        default:
            throw SchemaMismatch(
                "\(first.kind.rawValue) \(first.name) of \(first.table) calls \(first.definition), which is neither"
                    + " PostgreSQL's own nor of a superuser's extension",
                hint: "it would run with the rights of the role that prunes; such tables cannot be pruned")
        }
    }
}
