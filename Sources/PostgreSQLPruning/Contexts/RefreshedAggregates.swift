import Retention
import RuleEngine

/// The continuous aggregates of TimescaleDB over the table of a rule.
enum RefreshedAggregates {
    /// Throws a ``SchemaMismatch`` if a continuous aggregate is refreshed from times that the rule deletes: the refresh would
    /// take them out of the aggregate, too.
    static func check(_ condition: ExpiryCondition, in connection: Connection) throws {
        let (bound, table) = (condition.bound, condition.bound.relation)
        guard table.isHypertable else { return }
        let there = try connection.storages()
        if let missing = Hypertables.catalog.first(where: { !there.contains($0) }) {
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
