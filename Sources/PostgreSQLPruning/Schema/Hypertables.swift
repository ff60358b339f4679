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
