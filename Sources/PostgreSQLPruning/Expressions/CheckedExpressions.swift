import Retention
import Synchronization

/// The expressions that were checked in this process, each for a state of the catalog.
///
/// To check an expression, the server writes what it found to its own log. With this it does so once, not for each context
/// of each run.
final class CheckedExpressions: Sendable {
    private struct Key: Hashable {
        let rule: RetentionRule
        let others: [RetentionRule]
        let state: String
    }

    private let known = Mutex<[Key: RowExpressions]>([:])

    /// The checked expressions of `rule`; see ``RowExpressions/init(of:on:beside:in:)``.
    func expressions(
        of rule: RetentionRule, on relation: Relation, beside rules: [RetentionRule],
        in connection: Connection
    ) throws -> RowExpressions {
        let key = Key(rule: rule, others: rules, state: try Self.state(relation, in: connection))
        if let found = known.withLock({ $0[key] }) { return found }
        let checked = try RowExpressions(of: rule, on: relation, beside: rules, in: connection)
        known.withLock { known in
            // Others are of a catalog that is gone.
            known = known.filter { $0.key.rule.name != rule.name }
            known[key] = checked
        }
        return checked
    }

    /// All that the meaning of an expression on `relation` depends on: all tables with their columns, foreign
    /// keys and triggers, and the casts, which no search path limits.
    private static func state(_ relation: Relation, in connection: Connection) throws -> String {
        try connection.query(
            """
            WITH t AS (SELECT c.oid, c.xmin FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') \
            AND $1::oid IS NOT NULL AND c.relnamespace NOT IN (SELECT n.oid FROM pg_namespace n \
            WHERE n.nspname = 'information_schema' OR n.nspname LIKE 'pg\\_%')) \
            SELECT hashtextextended(concat_ws('|', \
            (SELECT string_agg(t.oid || ':' || t.xmin, ',' ORDER BY t.oid) FROM t), \
            (SELECT string_agg(a.attrelid || ':' || a.attnum || ':' || a.xmin, ',' ORDER BY a.attrelid, a.attnum) \
            FROM pg_attribute a JOIN t ON t.oid = a.attrelid WHERE a.attnum > 0), \
            (SELECT string_agg(r.oid || ':' || r.xmin, ',' ORDER BY r.oid) FROM pg_trigger r JOIN t ON t.oid = r.tgrelid), \
            (SELECT string_agg(k.oid || ':' || k.xmin, ',' ORDER BY k.oid) FROM pg_constraint k WHERE k.contype = 'f'), \
            (SELECT string_agg(y.oid || ':' || y.xmin, ',' ORDER BY y.oid) FROM pg_type y WHERE y.typtype IN ('d', 'e', 'b') \
            AND y.typnamespace <> 'pg_catalog'::regnamespace), \
            (SELECT string_agg(s.oid || ':' || s.xmin, ',' ORDER BY s.oid) FROM pg_cast s)), 0)
            """, ["\(relation.oid)"]
        ).text(0, 0) ?? ""
    }
}
