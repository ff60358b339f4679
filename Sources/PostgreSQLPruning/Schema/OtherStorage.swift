import RuleEngine

/// Tables whose pages do not have their rows. To walk one would find none, or not all.
enum OtherStorage {
    case accessMethod(String)
    case chunk, compressed

    private var description: String {
        switch self {
        case .accessMethod(let method):
            "has the access method \(method), not heap, so its pages cannot be walked"
        case .chunk: "is a chunk of a hypertable of TimescaleDB"
        case .compressed: "is a compressed chunk, whose pages do not have its rows"
        }
    }

    private var hint: String {
        switch self {
        case .accessMethod: "only tables with the access method heap can be pruned"
        case .chunk: "name the hypertable in the rule"
        case .compressed:
            "SELECT decompress_chunk('CHUNK'), or leave it to add_retention_policy() of TimescaleDB to drop old chunks"
        }
    }

    /// Throws a ``SchemaMismatch`` that names one of these tables if its pages do not have its rows. `areLeaves` of a
    /// hypertable are its chunks.
    static func refuse(
        _ tables: [Relation], areLeaves: Bool = false, in connection: Connection
    ) throws {
        let numbers = String.arrayLiteral(tables.map { "\($0.oid)" })
        for (question, storage) in try questions(areLeaves: areLeaves, in: connection) {
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
    private static func questions(
        areLeaves: Bool, in connection: Connection
    ) throws -> [(String, OtherStorage?)] {
        let isNamed = """
            SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN %t e \
            ON %n = (n.nspname, c.relname) WHERE c.oid = ANY ($1::oid[])
            """
        let catalog: (name: String, question: String, storage: OtherStorage) =
            areLeaves
            ? (
                "timescaledb_information.chunks",
                isNamed.replacing("%n", with: "(e.chunk_schema, e.chunk_name)")
                    + " AND e.is_compressed", .compressed
            )
            : (
                "_timescaledb_catalog.chunk",
                isNamed.replacing("%n", with: "(e.schema_name, e.table_name)"), .chunk
            )
        let there = try connection.storages()
        let methods = """
            SELECT c.oid, m.amname FROM pg_class c JOIN pg_am m ON m.oid = c.relam \
            WHERE c.oid = ANY ($1::oid[]) AND c.relkind = 'r' AND m.amname <> 'heap'
            """
        let ofCatalog =
            there.contains(catalog.name)
            ? [(catalog.question.replacing("%t", with: catalog.name), Optional(catalog.storage))] : []
        return ofCatalog + [(methods, nil)]
    }
}

extension Connection {
    /// The tables of extensions in which the database has tables with another storage.
    ///
    /// Only such are read that a superuser has: others could run code of their owner. That an extension has one says nothing,
    /// as whoever owns an extension can put a view of any owner into it.
    func storages() throws -> Set<String> {
        if let knownStorages { return knownStorages }
        let found = Set(
            try query(
                """
                SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
                JOIN pg_roles r ON r.oid = c.relowner WHERE c.relkind IN ('r', 'v') \
                AND n.nspname || '.' || c.relname = ANY ($1::text[]) AND r.rolsuper
                """, [.arrayLiteral([DistributedTables.catalog] + Hypertables.catalog)]
            ).rows.compactMap { $0[0] })
        knownStorages = found
        return found
    }
}
