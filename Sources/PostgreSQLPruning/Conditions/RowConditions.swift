import Conditions
import Retention

/// The conditions of a rule about one row, checked.
struct RowConditions: Equatable {
    /// Only rows of which it is true expire.
    let wanted: RowCondition?
    /// Only rows of which each of them is false expire.
    let protections: [RowCondition]
    /// Only deleted rows of which it is true leave a tombstone.
    let tombstone: RowCondition?
    /// The tables that they read besides the rule's own.
    let tables: [Relation]

    /// SQL terms that are all true of a row that may expire. They need the rule's table under its bare name.
    var terms: [String] { (wanted.map { [$0.isTrue] } ?? []) + protections.map(\.isFalse) }

    /// Checks the conditions of `rule`, whose table is `relation`, in a transaction that was begun with
    /// ``TransactionKind/begin``. `rules` are all rules of the store. Throws a ``SchemaMismatch`` if one cannot be used.
    init(
        of rule: RetentionRule, on relation: Relation, beside rules: [RetentionRule],
        in connection: Connection
    ) throws {
        func checked(_ keys: [RuleKey], _ text: String) throws -> RowCondition {
            try RowCondition(text, keys: keys.map(\.rawValue), on: relation, in: connection)
        }
        wanted = try rule.condition.map { try checked([.where], $0) }
        protections = try rule.protect.map { try checked([.protect], $0) }
        tombstone = try rule.tombstone?.condition.map { try checked([.tombstone, .where], $0) }
        let all = [wanted, tombstone].compactMap(\.self) + protections
        var found: [Relation] = []
        guard all.contains(where: { !$0.tables.isEmpty }) else {
            tables = []
            return
        }
        let writes = try TableWrite.all(by: rule, and: rules, in: connection)
        for condition in all {
            let read = try condition.tables.map {
                try connection.relation(named: $0.name, preferring: relation.schema)
            }
            for table in read { try condition.checkIsOrdinary(table, beside: relation, in: connection) }
            for write in writes { try write.check(read, of: condition) }
            try ScanCheck(condition: condition, relation: relation, tables: read).check(in: connection)
            found += read.filter { !found.contains($0) }
        }
        tables = found
    }
}

extension RowCondition {
    /// Throws a ``SchemaMismatch`` if `text` is no condition on rows of the table.
    init(_ text: String, keys: [String], on relation: Relation, in connection: Connection) throws {
        do {
            let condition = try ConditionBinding.bind(
                WrittenCondition(parsing: text), on: TypedTable(relation, in: connection), as: relation.name,
                in: PostgreSQLConditionTables(connection: connection, schema: relation.schema))
            self.init(condition, text, keys: keys, in: PostgreSQLConditions())
        } catch let error as ConditionError {
            throw SchemaMismatch(
                "\(keys.joined(separator: ".")) = \"\(text)\" \(error.cause(in: text))",
                hint: error.hint ?? "conditions are described in pruned.toml(5)", keys: keys)
        }
    }

    func refusal(_ reason: String, hint: String) -> SchemaMismatch {
        SchemaMismatch("\(keys.joined(separator: ".")) = \"\(text)\" \(reason)", hint: hint, keys: keys)
    }

    fileprivate func checkIsOrdinary(
        _ table: Relation, beside relation: Relation, in connection: Connection
    ) throws {
        guard try !connection.partitionTree(of: relation.oid).contains(table.oid) else {
            throw refusal(
                "reads \(table.description) itself in a subquery, and rows of it are deleted in the run",
                hint: "what is kept must not depend on what is deleted; keep_last keeps the newest rows")
        }
        let kind: String? =
            switch table.kind {
            case .table, .partitioned: nil
            case .view: "a view"
            case .materializedView: "a materialized view"
            case .foreign: "a foreign table"
            case .other: "no table"
            }
        guard kind == nil, !table.schema.hasPrefix("pg_"), table.schema != "information_schema" else {
            throw refusal(
                "reads \(table.description), which is \(kind ?? "one of the server's own tables")",
                hint: "read an ordinary table of the database")
        }
        guard !table.hasRowSecurity else {
            throw refusal(
                "reads \(table.description), which has policies for rows: it would see only some of them",
                hint: "read a table without row-level security")
        }
        guard try connection.hasPrivilege("SELECT", on: table) else {
            throw refusal(
                "reads \(table.description), which the role may not read",
                hint: try connection.grant("SELECT", on: table))
        }
    }
}
