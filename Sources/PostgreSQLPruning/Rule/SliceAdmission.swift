import Retention
import RuleEngine

/// Whether a rule fits a table of Citus. The rows of one are in its shards, on other servers: here it has no pages, and no
/// row of it can be locked and passed by. So they go by slices of time, each in one statement with the whole condition.
enum SliceAdmission {
    /// Throws a ``SchemaMismatch`` if no rule with these keys, or on this table, can go by slices: before anything else that
    /// the rule lacks, for it would be added in vain.
    ///
    /// The shards are tables of the same owner, who can put code on them that nobody sees from here. It runs as the role that
    /// prunes, so that must be the owner.
    static func check(
        _ rule: RetentionRule, on table: Relation, _ keys: [ForeignKey], in connection: Connection
    ) throws {
        guard table.isDistributed else { return }
        let found = try connection.query(
            "SELECT pg_get_userbyid(relowner), pg_get_userbyid(relowner) = current_user FROM pg_class WHERE oid = $1",
            ["\(table.oid)"])
        guard found.isTrue(0, 1) else {
            throw mismatch(
                table, "on whose shards its owner may have code that cannot be seen from here",
                "connect as its owner, user=\(found.text(0, 0) ?? ""); pruned-postgresql(7), TIMESCALEDB AND CITUS, says how"
            )
        }
        guard table.kind == .table else {
            throw mismatch(table, "which is partitioned as well", "such tables cannot be pruned")
        }
        if let child = keys.first(where: { $0.acts && $0.parent == table.tableName })?.child {
            throw mismatch(
                table, "and rows of \(child) would go or change with its own (a foreign key)",
                "drop the foreign key, and give \(child) a rule of its own; or leave both to the app")
        }
        let steps: [(isTaken: Bool, key: RuleKey)] = [
            (rule.action.isMark, .action), (rule.tombstone != nil, .tombstone),
            (rule.archiveKeep != nil, .archive), (rule.keepLast != nil, .keepLast),
            (!rule.keptBy.isEmpty, .keptBy), (!rule.dependents.isEmpty, .dependents),
            (rule.partitions != nil, .partitions),
        ]
        if let needed = steps.first(where: \.isTaken)?.key {
            throw mismatch(
                table, "whose rows go in one statement each slice, and \(needed.rawValue) needs more",
                "remove \(needed.rawValue) from the rule", needed)
        }
    }

    /// Throws a ``SchemaMismatch`` if the rule's rows cannot go by slices, as it is bound.
    static func check(_ bound: BoundRule) throws {
        let table = bound.relation
        guard table.isDistributed else { return }
        guard let time = bound.time else {
            throw mismatch(table, "whose rows go by slices of time, and the rule has none", "add age_column")
        }
        guard bound.hasOrderedTimeIndex else {
            throw mismatch(
                table, "whose rows go by slices of time, which need an index",
                "CREATE INDEX ON \(table.sql) (\(time.name.quotedIdentifier))")
        }
        guard !bound.needsTwoStatements else {
            throw mismatch(
                table,
                "whose rows go in one statement each slice, and foreign keys, triggers or subqueries need more",
                "only age, where and protect can decide, by columns of the table itself")
        }
    }

    private static func mismatch(
        _ table: Relation, _ cause: String, _ hint: String, _ key: RuleKey = .table
    ) -> SchemaMismatch {
        SchemaMismatch(
            "\(table.description) is a table of Citus, \(cause)", hint: hint, keys: [key.rawValue])
    }
}
