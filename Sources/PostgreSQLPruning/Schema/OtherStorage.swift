import RuleEngine

/// Tables whose pages do not have their rows. To walk one would find none, or not all.
enum OtherStorage {
    case accessMethod(String)
    case citus, hypertable, chunk

    private var description: String {
        switch self {
        case .accessMethod(let method):
            "has the access method \(method), not heap, so its pages cannot be walked"
        case .citus: "is a table of Citus, whose rows are in its shards"
        case .hypertable: "is a hypertable of TimescaleDB, whose rows are in its chunks"
        case .chunk: "is a chunk of a hypertable of TimescaleDB"
        }
    }

    private var hint: String {
        switch self {
        case .accessMethod: "only tables with the access method heap can be pruned"
        case .citus: "tables that Citus distributes cannot be pruned"
        case .hypertable, .chunk:
            "drop_chunks() of TimescaleDB drops old chunks, and add_retention_policy() does so regularly"
        }
    }

    /// Throws a ``SchemaMismatch`` that names one of these tables if its pages do not have its rows.
    static func refuse(_ tables: [Relation], in connection: Connection) throws {
        let numbers = String.arrayLiteral(tables.map { "\($0.oid)" })
        for (question, storage) in try questions(in: connection) {
            let found = try connection.query(question, [numbers])
            guard let row = found.rows.first, let table = tables.first(where: { "\($0.oid)" == row[0] })
            else {
                continue
            }
            let storage = storage ?? .accessMethod(row[1] ?? "")
            throw SchemaMismatch(
                "\(table.description) \(storage.description)", hint: storage.hint, keys: ["table"],
                value: table.description.inQuotes)
        }
    }

    /// Questions for those of the tables `$1` that are stored in another way.
    ///
    /// Of the extensions' own tables only such are read that a superuser or an extension has: others could run code of their
    /// owner.
    private static func questions(in connection: Connection) throws -> [(String, OtherStorage?)] {
        let isNamed = """
            SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN %t e \
            ON (e.schema_name, e.table_name) = (n.nspname, c.relname) WHERE c.oid = ANY ($1::oid[])
            """
        let catalogs: [(name: String, question: String, storage: OtherStorage)] = [
            (
                "pg_catalog.pg_dist_partition",
                "SELECT e.logicalrelid::oid FROM %t e WHERE e.logicalrelid::oid = ANY ($1::oid[])", .citus
            ),
            ("_timescaledb_catalog.hypertable", isNamed, .hypertable),
            ("_timescaledb_catalog.chunk", isNamed, .chunk),
        ]
        let there = try connection.query(
            """
            SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
            JOIN pg_roles r ON r.oid = c.relowner WHERE c.relkind = 'r' AND (n.nspname, c.relname) IN \
            (('pg_catalog', 'pg_dist_partition'), ('_timescaledb_catalog', 'hypertable'), ('_timescaledb_catalog', 'chunk')) \
            AND (r.rolsuper OR EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass \
            AND d.objid = c.oid AND d.deptype = 'e'))
            """
        ).rows.compactMap { $0[0] }
        let methods = """
            SELECT c.oid, m.amname FROM pg_class c JOIN pg_am m ON m.oid = c.relam \
            WHERE c.oid = ANY ($1::oid[]) AND c.relkind = 'r' AND m.amname <> 'heap'
            """
        return catalogs.filter { there.contains($0.name) }.map {
            ($0.question.replacing("%t", with: $0.name), $0.storage)
        } + [(methods, nil)]
    }
}
