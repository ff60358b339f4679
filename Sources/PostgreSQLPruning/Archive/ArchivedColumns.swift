import Archive
import Pruning
import Retention
import RuleEngine

/// What is archived of a row: all of a deleted one, and of a marked one its key and what the mark overwrites.
struct ArchivedColumns: Equatable {
    /// The columns of ``ArchivedRows``.
    let names: [String]
    /// The columns by which a marked row is found again; empty for deleted rows.
    let key: [String]
    /// The columns by which a marked row is known to be the same when its mark is taken back.
    let witness: [String]
    /// By what the rows are recognized when they come back; nil if nobody looks for them.
    let identity: IdentityColumns?

    /// Nil if the rule does not archive. Throws a ``SchemaMismatch`` if a row could not be put back.
    init?(of bound: BoundRule) throws {
        guard bound.rule.archiveKeep != nil else { return nil }
        let relation = bound.relation
        if let mark = bound.mark {
            (key, names) = (relation.primaryKey, relation.primaryKey + mark.names)
            witness = RowWitness.columns(of: bound, besides: names)
        } else {
            (key, names, witness) = ([], relation.columns.filter { !$0.isGenerated }.map(\.name), [])
        }
        if let large = names.compactMap({ relation[$0] }).first(where: { $0.baseType == "oid" }) {
            throw SchemaMismatch(
                "rows of \(relation.description) cannot be archived: \(large.name) is of type \(large.type), which refers to"
                    + " a large object outside of the row",
                hint: "set archive = false for this rule", keys: ["archive"])
        }
        guard !names.isEmpty else {
            throw SchemaMismatch(
                "rows of \(relation.description) cannot be archived: it has no columns with values of their own",
                hint: "set archive = false for this rule", keys: ["archive"])
        }
        identity = try IdentityColumns(of: bound.binding, on: relation)
    }
}

/// A hash of a row's values. By it a marked row is known to be the same when its mark is taken back: another row may have got
/// its key since. It is the same in each version of the server.
enum RowWitness {
    /// The columns of a row that a rule marks: those of its identity, else its time and what is text or bytes, else all. The
    /// key and what is set are left out. An app may count in numbers, or refer to another row, while the row is marked.
    static func columns(of bound: BoundRule, besides left: [String]) -> [String] {
        let identity = bound.rule.identity.filter { !left.contains($0) }
        guard identity.isEmpty else { return identity }
        let others = bound.relation.columns.filter { !$0.isGenerated && !left.contains($0.name) }
        let telling = others.filter { column in
            column.name == bound.time?.name || content.contains(where: column.baseType.hasPrefix)
        }
        return (telling.isEmpty ? others : telling).map(\.name)
    }

    private static let content = [
        "text", "char", "bpchar", "varchar", "citext", "uuid", "bytea", "json", "xml",
    ]

    static func sql(_ columns: [String], of relation: Relation) -> String {
        "encode(sha256(textsend(ROW(\(columns.map(relation.column).joined(separator: ", ")))::text)), 'hex')"
    }
}

/// The columns of a rule's `identity`, checked.
struct IdentityColumns: Equatable {
    /// Whose identities these are.
    let source: IdentitySource
    /// SQL of a row's identity; NULL if it has none.
    let sql: String

    /// Nil if the rule does not archive or has no identity.
    init?(of binding: Binding, on relation: Relation) throws {
        let rule = binding.rule
        guard rule.isLookedFor else { return nil }
        let columns = try SchemaMismatch.blaming(["identity"]) {
            try binding.identity.map { bound in
                let column = try relation.required(bound)
                try column.refuseOwnOperators(
                    "identity compares", of: relation,
                    hint: "name columns of built-in types, or leave out identity")
                return column
            }
        }
        let values = columns.map { relation.column($0.name) }.joined(separator: ", ")
        sql = """
            CASE WHEN num_nonnulls(\(values)) > 0 THEN hashtextextended(ROW(\(values))::text, 0) END
            """
        source = IdentitySource(rule, columns: columns.map(\.name))
    }

    /// The identity as the archive has it. 0 stands for none.
    static func number(_ result: QueryResult, _ row: Int, _ column: Int) -> UInt64 {
        guard let number = result.integer(row, column) else { return 0 }
        return number == 0 ? 1 : UInt64(bitPattern: number)
    }
}
