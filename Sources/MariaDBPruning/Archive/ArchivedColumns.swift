import Archive
import Pruning
import Retention
import RuleEngine

/// What is archived of a row: all columns of a deleted one with values of their own, and of a marked one its key and what the
/// mark overwrites.
struct ArchivedColumns: Equatable {
    let names: [String]
    /// The columns by which a marked row is known to be the same when its mark is taken back; empty for deleted rows.
    let witness: [String]
    /// Whose identities the rows have; nil if nobody looks for them.
    let source: IdentitySource?
    private let identity: String?
    private let values: [StoredValue]
    private let relation: Relation

    /// Nil if the rule does not archive. Throws a ``SchemaMismatch`` if a row could not be put back.
    init?(of bound: BoundRule) throws(SchemaMismatch) {
        guard bound.rule.archiveKeep != nil else { return nil }
        let own = bound.relation.columns.filter { !$0.isGenerated }
        guard let mark = bound.mark else {
            try self.init(own.map(\.name), of: bound.relation, by: bound)
            return
        }
        let names = bound.key.index.columns + mark.columns.map(\.name)
        // What identifies a row, else its time and what is text or bytes. An app may count in numbers, or refer to another
        // row, meanwhile.
        let others = own.filter { !names.contains($0.name) }
        let identity = bound.binding.identity.map(\.name).filter { !names.contains($0) }
        let telling = others.filter { column in
            column.name == bound.time?.name || column.characterSet != nil || StoredValue(column) == .bytes
        }.map(\.name)
        let known = identity.isEmpty ? telling : identity
        try self.init(
            names, witness: known.isEmpty ? others.map(\.name) : known, of: bound.relation,
            by: bound)
    }

    /// `bound` is the rule that archives; nil for rows that come back.
    init(
        _ names: [String], witness: [String] = [], of relation: Relation, by bound: BoundRule? = nil
    ) throws(SchemaMismatch) {
        var values: [StoredValue] = []
        for name in names {
            guard let value = StoredValue(relation[name]) else {
                throw SchemaMismatch(
                    "rows of \(relation.description) cannot be archived: \(name) is of type \(relation[name]?.type ?? "")",
                    hint: "set archive = false for this rule", keys: ["archive"])
            }
            values.append(value)
        }
        let looked = bound.flatMap { $0.rule.isLookedFor ? $0.binding.identity.map(\.name) : nil }
        source = looked.flatMap { columns in bound.map { IdentitySource($0.rule, columns: columns) } }
        identity = looked.map { Self.identity($0.map(relation.column)) }
        (self.names, self.witness) = (names, witness)
        (self.values, self.relation) = (values, relation)
    }

    /// The statement that reads what is archived of the rows of which `place` is true.
    func question(_ place: String) -> String {
        let selected =
            zip(names, values).map { $1.selected(relation.column($0)) } + [hash, identity].compactMap(\.self)
        return
            "SELECT \(selected.joined(separator: ", ")) FROM \(relation.sql) AS \(relation.alias) WHERE \(place)"
    }

    /// SQL of a row's identity; NULL if all of its values are.
    private static func identity(_ columns: [String]) -> String {
        "CASE WHEN \(columns.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")) THEN"
            + " CONV(LEFT(MD5(\(RowKey.text(of: columns))), 16), 16, 10) END"
    }

    /// The identity as the archive has it. 0 stands for none.
    private static func number(_ text: String?) -> UInt64 {
        text.flatMap { UInt64($0) }.map { $0 == 0 ? 1 : $0 } ?? 0
    }

    /// The statement that reads the identities of `count` rows of which `terms` are true in the order of the key, with the
    /// key; nil if nobody looks for them.
    func identities(_ terms: [String], _ count: Int, by key: RowKey) -> String? {
        identity.map { identity in
            let place = terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
            return """
                SELECT \(identity), \(key.selected) FROM \(relation.sql) AS \(relation.alias)\(place) \
                ORDER BY \(key.columns.joined(separator: ", ")) LIMIT \(count)
                """
        }
    }

    /// Those of the rows that ``identities(_:_:by:)`` found.
    static func identities(in found: QueryResult) -> [UInt64] {
        found.rows.map { number($0[0]) }.filter { $0 != 0 }
    }

    /// SQL of the hash of the witness; nil without one.
    private var hash: String? {
        witness.isEmpty ? nil : "SHA2(\(RowKey.text(of: witness.map(relation.column))), 256)"
    }

    /// Archives rows that ``question(_:)`` found, before they go.
    func archive(_ found: QueryResult, of task: PruneTask, in pending: PendingRows) throws(StoreError) {
        var rows = ArchivedRows(
            columns: names, action: task.rule.action, count: Int64(found.count), encoding: .mariadb)
        rows.witness = witness
        rows.identityKind = source?.kind
        for row in found.rows {
            for value in row.prefix(names.count + (witness.isEmpty ? 0 : 1)) {
                TextEncoding.append(value.map { Array($0.utf8) }, to: &rows.bytes)
            }
            if source != nil { rows.identities.append(Self.number(row[row.count - 1])) }
            guard rows.bytes.count <= Self.mostBytes || found.count == 1 else {
                throw StoreError(
                    .tooLarge, operation: "archive rows of \(task.rule.table)",
                    place: task.rule.store.description, cause: "the rows of a batch are too large together")
            }
        }
        try pending.archive(rows, of: task)
    }

    /// Limits the rows of a batch, which are in memory more than once. Usual rows stay far below it.
    private static let mostBytes = 16 << 20

    /// The statement that puts an archived row back.
    func insertion(of row: [ArchivedValue]) -> String {
        let columns = names.map(\.quotedIdentifier).joined(separator: ", ")
        let literals = literals(of: row).joined(separator: ", ")
        return "INSERT INTO \(relation.sql) (\(columns)) VALUES (\(literals))"
    }

    /// SQL that is true of the marked row, and the statement's part that takes its mark back. `mark` are the marked columns.
    func unmarking(_ row: [ArchivedValue], _ mark: [String]) -> (place: String, assignments: String) {
        let parts = zip(names, literals(of: row))
        let isRow = parts.filter { !mark.contains($0.0) }.map { "\(relation.column($0)) = \($1)" }
        let isSame =
            hash.map { ["\($0) = \(String(decoding: row.last?.bytes ?? [], as: UTF8.self).quotedLiteral)"] }
            ?? []
        let old = parts.filter { mark.contains($0.0) }.map { "\($0.quotedIdentifier) = \($1)" }
        let kept = relation.unchanged(besides: mark)
        return ((isRow + isSame).joined(separator: " AND "), (old + kept).joined(separator: ", "))
    }

    private func literals(of row: [ArchivedValue]) -> [String] {
        zip(row, values).map { value, kind in
            kind.literal(value.bytes.map { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// SQL that is true of rows that have the same values in these columns; nil if one of them is not archived.
    func isSame(_ columns: [String], as row: [ArchivedValue]) -> String? {
        let places = columns.compactMap(names.firstIndex)
        guard places.count == columns.count else { return nil }
        let literals = literals(of: row)
        return places.map { "\(relation.column(names[$0])) = \(literals[$0])" }.joined(separator: " AND ")
    }
}
