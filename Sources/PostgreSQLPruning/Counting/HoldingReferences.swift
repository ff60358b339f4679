import Pruning
import Retention
import RuleEngine

/// The references by which rows that stay hold rows that would go: foreign keys without CASCADE. The server refuses to
/// delete such rows, and a whole batch with them.
struct HoldingReferences {
    let condition: ExpiryCondition
    /// The tables from which rules before this one delete, if what they do is not known.
    var changing: Set<UInt32> = []

    private var bound: BoundRule { condition.bound }
    private var relation: Relation { bound.relation }

    /// A foreign key that refers to rows of `parent`, which the rule deletes, from `child`.
    private struct Reference {
        let key: ForeignKeyConstraint
        let parent: Relation
        let child: Relation
    }

    /// Throws a ``SchemaMismatch`` that names the first key that holds a row.
    func check(in connection: Connection) throws {
        let references = try references(in: connection).filter { try canLook(at: $0.child, in: connection) }
        guard !references.isEmpty else { return }
        var after = condition.earlier
        let taken = try after.add(condition, in: connection)
        for reference in references {
            let rows = try taken.filter { $0.relation.oid == reference.parent.oid }
                .reduce(0) { try $0 + count($1, by: reference, after, in: connection) }
            guard rows > 0 else { continue }
            let held = HeldRows(
                rows, of: reference.parent.description, by: "rows of \(reference.child.description)",
                key: reference.key.name)
            throw SchemaMismatch(held.cause, hint: hint(reference))
        }
    }

    /// The keys of which ``check(in:)`` cannot tell, in a line each.
    func remarks(in connection: Connection) throws -> [String] {
        try references(in: connection).compactMap { reference in
            let (child, key) = (reference.child, reference.key.name)
            guard try !canLook(at: child, in: connection) else { return nil }
            return
                "rows of \(child.description) may hold expired rows (foreign key \(key)), which only a run can tell:"
                + " the role cannot look at all of them"
        }
    }

    /// Those to the rule's table, and to the tables from which rows go with its own. Rows of the rule's table that others of
    /// it hold stay.
    private func references(in connection: Connection) throws -> [Reference] {
        guard bound.mark == nil else { return [] }
        let dependents = Set(bound.cascades.filter(\.cascades).map(\.child))
        let parents = try [relation] + dependents.sorted().map(connection.relation)
        return try parents.flatMap { parent in
            // A foreign key may refer to one partition alone.
            try connection.foreignKeys(to: connection.partitionTree(of: parent.oid)).filter {
                !$0.acts && !changing.contains($0.child) && !bound.binding.replacedKeys.contains($0.key)
                    && ($0.child != relation.oid || parent.oid != relation.oid)
            }.map { try Reference(key: $0, parent: parent, child: connection.relation($0.child)) }
        }
    }

    /// Whether the role sees all rows, and no code of the table's owner runs for it.
    private func canLook(at child: Relation, in connection: Connection) throws -> Bool {
        try !child.hasRowSecurity && connection.hasPrivilege("SELECT", on: child)
            && connection.calculations(readFrom: child.oid).isEmpty
    }

    /// How many of the rows that would go are referred to by rows that are there `after` the rule.
    private func count(
        _ taken: EarlierRules.Taken, by reference: Reference, _ after: EarlierRules, in connection: Connection
    ) throws -> Int64 {
        let (key, parent, child) = (reference.key, reference.parent, reference.child)
        // Other types may have an equality of their own.
        let columns = key.childColumns.map { child[$0] } + key.parentColumns.map { parent[$0] }
        guard columns.allSatisfy({ $0?.isOfCatalog ?? false }) else { return 0 }
        let collations = try connection.collations(of: key.parentColumns, of: parent.oid)
        let refers = key.childColumns.indices.map { number in
            let (child, parent) = (key.childColumns[number], key.parentColumns[number])
            return
                "c.\(child.quotedIdentifier) \(key.operators[number]) p.\(parent.quotedIdentifier)\(collations[number])"
        }
        let isParent =
            key.parent == parent.oid
            ? "" : " AND t.part IN \(PartitionTree.below("\(key.parent)"))"
        return try connection.query(
            """
            WITH \(after.queries.joined(separator: ", ")) SELECT count(*) FROM \(taken.name) AS t \
            JOIN \(condition.source(of: parent)) AS p ON \(parent.isPlace("t", of: "p")) WHERE EXISTS \
            (SELECT FROM \(after.source(of: child)) AS c WHERE \(refers.joined(separator: " AND ")))\(isParent)
            """
        ).integer(0, 0) ?? 0
    }

    /// What helps; nil where no condition of the rule's own rows does.
    private func hint(_ reference: Reference) -> String? {
        guard !reference.key.isOfPeriods else {
            return "no condition compares periods: " + StoreHint.protectByKey
        }
        return bound.binding.hint(holding: reference.key.key)
    }
}
