import Pruning
import Retention
import RuleEngine

/// What TimescaleDB knows of its tables. It divides a hypertable into chunks, which inherit from it and have its rows, each
/// those of a range of times.
///
/// A chunk is a table with pages, so its rows go as those of a partition do, with all that a rule can say of them.
enum Hypertables {
    /// The tables and views of the extension that are read here.
    static let catalog = [
        "_timescaledb_catalog.hypertable", "_timescaledb_catalog.chunk", "_timescaledb_catalog.dimension",
        "timescaledb_information.chunks",
        "timescaledb_information.dimensions", "timescaledb_information.continuous_aggregates",
        "timescaledb_information.jobs",
    ]

    /// Throws a ``SchemaMismatch`` if the chunks of the hypertable cannot go as a whole, or not by this role.
    static func check(_ rule: RetentionRule, _ table: Relation, in connection: Connection) throws {
        let keys = [RuleKey.partitions.rawValue]
        let found = try connection.query(
            """
            SELECT count(*), bool_or(d.column_name = $2), pg_has_role(c.relowner, 'USAGE'), pg_get_userbyid(c.relowner), \
            current_user FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            LEFT JOIN timescaledb_information.dimensions d ON (d.hypertable_schema, d.hypertable_name) = (n.nspname, c.relname) \
            WHERE c.oid = $1 GROUP BY c.relowner
            """, ["\(table.oid)", rule.expiry.column])
        guard found.integer(0, 0) == 1, found.isTrue(0, 1) else {
            throw SchemaMismatch(
                "the chunks of \(table.description) are not ranges of \(rule.expiry.column ?? "") alone",
                hint: "remove partitions from the rule: its rows are deleted one by one", keys: keys)
        }
        guard found.isTrue(0, 2) else {
            let (owner, role) = (found.text(0, 3) ?? "", found.text(0, 4) ?? "")
            throw SchemaMismatch(
                "only the owner of \(table.description) may drop its chunks",
                hint: "GRANT \(owner.quotedIdentifier) TO \(role.quotedIdentifier)", keys: keys)
        }
    }

    /// Throws a ``SchemaMismatch`` if a continuous aggregate is refreshed from times that the rule deletes: the refresh would
    /// take them out of the aggregate, too.
    static func refuseAggregates(of condition: ExpiryCondition, in connection: Connection) throws {
        let (bound, table) = (condition.bound, condition.bound.relation)
        guard table.isHypertable else { return }
        let there = try connection.storages()
        if let missing = catalog.first(where: { !there.contains($0) }) {
            throw SchemaMismatch(
                "\(table.description) is a hypertable, and this TimescaleDB has no \(missing)",
                hint: "hypertables need TimescaleDB 2.23 or later", keys: [RuleKey.table.rawValue])
        }
        let found = try connection.query(
            """
            SELECT a.view_schema, a.view_name, j.config ->> 'start_offset', d.column_name, j.config ->> 'mat_hypertable_id' \
            FROM timescaledb_information.continuous_aggregates a \
            JOIN timescaledb_information.jobs j ON (j.hypertable_schema, j.hypertable_name) IN \
            ((a.view_schema, a.view_name), (a.materialization_hypertable_schema, a.materialization_hypertable_name)) \
            JOIN timescaledb_information.dimensions d ON (d.hypertable_schema, d.hypertable_name) \
            = (a.hypertable_schema, a.hypertable_name) AND d.dimension_number = 1 \
            WHERE (a.hypertable_schema, a.hypertable_name) = ($1, $2) AND j.proc_name = 'policy_refresh_continuous_aggregate' \
            ORDER BY 1, 2
            """, [table.schema, table.name])
        for row in found.rows {
            let view = TableName(row[1] ?? "", inSchema: row[0])
            let table = table.description.inQuotes
            guard let time = bound.time, time.name == row[3], time.storage == .instant else {
                throw SchemaMismatch(
                    "the continuous aggregate \(view) is refreshed, and whether from what the rule deletes can be told only of"
                        + " a dimension of type timestamptz that has the rule's time",
                    hint: "remove its policy with remove_continuous_aggregate_policy()",
                    keys: [RuleKey.table.rawValue], value: table)
            }
            let cutoff = time.value(at: condition.task.cutoff)
            let isBehind = try connection.query(
                """
                SELECT _timescaledb_functions.to_timestamp(_timescaledb_functions.cagg_watermark($1::int)) < \(cutoff)
                """, [row[4]])
            guard !isBehind.isTrue(0, 0) else {
                throw SchemaMismatch(
                    "the continuous aggregate \(view) does not have yet what the rule deletes",
                    hint: "CALL refresh_continuous_aggregate('\(view)', NULL, NULL)",
                    keys: [RuleKey.table.rawValue], value: table)
            }
            if let offset = row[2],
                try connection.query("SELECT now() - $1::interval >= \(cutoff)", [offset]).isTrue(0, 0)
            {
                continue
            }
            throw SchemaMismatch(
                "the continuous aggregate \(view) is refreshed \(row[2].map { "from \($0) ago" } ?? "from the beginning"), and"
                    + " would lose the rows that the rule deletes",
                hint:
                    "let its policy refresh no more than the rule keeps: remove_continuous_aggregate_policy() and"
                    + " add_continuous_aggregate_policy() with a smaller start_offset",
                keys: [RuleKey.table.rawValue], value: table)
        }
    }
}

extension Connection {
    /// Those of the tables that are hypertables. Throws a ``SchemaMismatch`` if to plan a statement on one runs code of its
    /// owner.
    func hypertables(among tables: [UInt32]) throws -> Set<UInt32> {
        guard try storages().contains("_timescaledb_catalog.hypertable") else { return [] }
        let found = try query(
            """
            SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN _timescaledb_catalog.hypertable h \
            ON (h.schema_name, h.table_name) = (n.nspname, c.relname) WHERE c.oid = ANY ($1::oid[])
            """, [.arrayLiteral(tables.map { "\($0)" })])
        let hypertables = Set(found.rows.compactMap { $0[0].flatMap { UInt32($0) } })
        try refusePartitioningFunctions(of: hypertables)
        return hypertables
    }

    /// Throws a ``SchemaMismatch`` if a dimension of one of the hypertables is what a function of somebody who is no superuser
    /// makes of a column. It would run when a statement on the table is planned.
    private func refusePartitioningFunctions(of tables: Set<UInt32>) throws {
        guard !tables.isEmpty else { return }
        let found = try query(
            """
            SELECT n.nspname, c.relname, d.partitioning_func FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            JOIN _timescaledb_catalog.hypertable h ON (h.schema_name, h.table_name) = (n.nspname, c.relname) \
            JOIN _timescaledb_catalog.dimension d ON d.hypertable_id = h.id \
            WHERE c.oid = ANY ($1::oid[]) AND d.partitioning_func IS NOT NULL AND NOT EXISTS (SELECT FROM pg_namespace m \
            JOIN pg_roles r ON r.oid = m.nspowner WHERE m.nspname = d.partitioning_func_schema AND r.rolsuper) ORDER BY 1, 2
            """, [.arrayLiteral(tables.map { "\($0)" })])
        guard let row = found.rows.first else { return }
        throw SchemaMismatch(
            "a dimension of \(TableName(row[1] ?? "", inSchema: row[0])) is made by the function \(row[2] ?? ""), which would"
                + " run with the rights of the role that prunes",
            hint: "such a hypertable cannot be pruned", keys: [RuleKey.table.rawValue])
    }
}
