import RuleEngine

/// A table, as the catalog describes it.
struct Relation: Equatable {
    let oid: UInt32
    let schema: String
    let name: String
    let kind: Kind
    /// Whether it is a partition of another table.
    let isPartition: Bool
    /// Whether other tables inherit from it, apart from partitions and chunks.
    let hasChildren: Bool
    /// Whether it is a hypertable of TimescaleDB, which counts as partitioned: its chunks have its rows.
    let isHypertable: Bool
    /// Whether Citus has its rows on other servers.
    let isDistributed: Bool
    let hasRules: Bool
    let hasRowSecurity: Bool
    let columns: [Column]
    /// The columns of the primary key, in its order; empty if there is none.
    let primaryKey: [String]
    /// The server's estimates; negative where it has none.
    let estimatedRows: Double
    let estimatedPages: Int64

    enum Kind: String {
        case table = "r"
        case partitioned = "p"
        case view = "v"
        case materializedView = "m"
        case foreign = "f"
        case other = ""
    }

    struct Column: Equatable {
        let name: String
        let number: Int
        /// The type as `format_type` writes it, such as `character varying(64)`.
        let type: String
        /// The type's name for values of any length, or that of the type that a domain is based on: `bpchar` and not
        /// `character`, which means one character.
        let baseType: String
        let isNotNull: Bool
        let isGenerated: Bool
        /// Whether values are given by an identity, which an INSERT must override.
        let isIdentity: Bool
        let hasDefault: Bool
        /// Whether the type, or that on which it is based, is PostgreSQL's own, an enumeration, or an extension's.
        let isTrusted: Bool
        /// Whether the type is one of `pg_catalog`. Another one is written with its schema.
        var isOfCatalog: Bool { !baseType.contains(".") }
        let isEnumeration: Bool
        /// Whether values of the type are compared by operators of its own, which `pg_catalog` does not have.
        let hasOwnOperators: Bool
    }

    /// The table as SQL: schema and name.
    var sql: String { schema.quotedIdentifier + "." + name.quotedIdentifier }
    /// The table as people and rules write it.
    var description: String { tableName.description }
    var tableName: TableName { TableName(name, inSchema: schema) }
    /// The name under which conditions see its rows.
    var alias: String { name.quotedIdentifier }

    /// The column of this table as SQL.
    func column(_ name: String) -> String { alias + "." + name.quotedIdentifier }

    static let usualSchema = "public"

    subscript(column: String) -> Column? { columns.first { $0.name == column } }
}

extension TableName {
    var sql: String { (schema ?? Relation.usualSchema).quotedIdentifier + "." + name.quotedIdentifier }

    init(_ name: String, inSchema schema: String?) {
        self.init(name, in: schema == Relation.usualSchema ? nil : schema)
    }
}
