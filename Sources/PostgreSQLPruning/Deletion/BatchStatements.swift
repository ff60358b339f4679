import Retention

/// The statements of a batch.
struct BatchStatements {
    let condition: ExpiryCondition
    /// Whether the rows that a batch changes are told apart by a hash.
    let tellsRows: Bool
    /// What goes to the archive; nil if nothing is archived.
    let archived: ArchivedColumns?

    init(condition: ExpiryCondition, tellsRows: Bool, archived: ArchivedColumns?) {
        var condition = condition
        condition.goesInBatches = true
        (self.condition, self.tellsRows, self.archived) = (condition, tellsRows, archived)
    }

    private var bound: BoundRule { condition.bound }
    private var relation: Relation { bound.relation }
    private var tid: String { relation.alias + ".ctid" }

    private func table(_ leaf: Relation) -> String { "ONLY \(leaf.sql) AS \(relation.alias)" }

    // MARK: - One statement

    /// Whether one statement finds and deletes the rows.
    var isPlain: Bool {
        !bound.needsTwoStatements && bound.tombstones == nil && archived == nil && !tellsRows
    }

    /// Deletes the rows of a range of pages, `$1` to `$2`.
    func deletion(from leaf: Relation) -> String {
        let place = ["\(tid) >= $1::tid", "\(tid) < $2::tid"] + condition.lockable
        return
            "\(condition.with(of: condition.from(leaf)))DELETE FROM \(table(leaf)) WHERE \(place.joined(separator: " AND "))"
    }

    /// Deletes at most `$2` rows from the time `$1` on, in the order of an index, and tells how many were deleted, how many
    /// were found, and the last time.
    func deletionByTime(from leaf: Relation, _ time: TimeColumn) -> String {
        """
        WITH "pruned batch" AS MATERIALIZED (\(lockingByTime(in: leaf, time))), \
        "pruned changed" AS (DELETE FROM \(table(leaf)) \
        WHERE \(tid) = ANY (ARRAY(SELECT "pruned place" FROM "pruned batch")) RETURNING 1) \
        SELECT (SELECT count(*) FROM "pruned changed"), count(*), max("pruned time") FROM "pruned batch"
        """
    }

    // MARK: - Slices of time

    private func terms(_ range: TimeWalk.Range, _ time: TimeColumn) -> [String] {
        (range.lower.map { ["\(time.sql) >= \(time.value(at: $0))"] } ?? [])
            + (range.upper.map { ["\(time.sql) < \(time.value(at: $0))"] } ?? [])
    }

    /// The second of the oldest row of `range` that is old enough.
    func oldest(in range: TimeWalk.Range, of leaf: Relation, _ time: TimeColumn) -> String {
        let place = (terms(range, time) + condition.isPast).joined(separator: " AND ")
        let column = time.name.quotedIdentifier
        return """
            SELECT \(time.second) FROM (SELECT min(\(time.sql)) AS \(column) \(condition.from(leaf)) WHERE \(place)) \
            AS \(relation.alias) WHERE \(time.sql) IS NOT NULL
            """
    }

    /// Deletes the rows of `range`, and returns what their hashes are of if they are told apart.
    func deletion(of range: TimeWalk.Range, from leaf: Relation, _ time: TimeColumn) -> String {
        let place = (terms(range, time) + condition.lockableByIndex).joined(separator: " AND ")
        let returned = tellsRows ? " RETURNING \(RowHash(of: bound).values)" : ""
        return "DELETE \(condition.from(leaf)) WHERE \(place)\(returned)"
    }

    // MARK: - Two statements

    /// Whether a batch locks rows of which only ``change(in:)`` knows that they stay: the newest of their group, and those to
    /// which others refer.
    var locksRowsThatStay: Bool { condition.newest?.hasGroups ?? false || !bound.ownKeys.isEmpty }

    /// Locks the rows of a range of pages, `$1` to `$2`, but not those that others have locked; at most `$3`, if each of
    /// them goes.
    func locking(in leaf: Relation) -> String {
        let place = ["\(tid) >= $1::tid", "\(tid) < $2::tid"] + condition.lockable
        return """
            SELECT \(tid) FROM \(table(leaf)) WHERE \(place.joined(separator: " AND ")) \
            \(locksRowsThatStay ? "" : "LIMIT $3 ")FOR UPDATE OF \(relation.alias) SKIP LOCKED
            """
    }

    /// Locks at most `$2` rows from the time `$1` on, in the order of an index, and tells the time of each.
    func lockingByTime(in leaf: Relation, _ time: TimeColumn) -> String {
        let place = ["\(time.sql) >= $1::\(time.typeName)"] + condition.lockableByIndex
        return """
            SELECT \(tid) AS "pruned place", \(time.sql) AS "pruned time" FROM \(table(leaf)) WHERE \(place.joined(separator: " AND ")) \
            ORDER BY \(time.sql) LIMIT $2 FOR UPDATE OF \(relation.alias) SKIP LOCKED
            """
    }

    /// How many rows of the range `$1` to `$2` a batch would lock if others had locked none.
    func remaining(in leaf: Relation) -> String {
        let place = ["\(tid) >= $1::tid", "\(tid) < $2::tid"] + condition.lockable
        return
            "SELECT count(*) FROM \(table(leaf)) WHERE \(place.joined(separator: " AND "))"
    }

    /// Changes the locked rows `$1` of which everything is still true, and returns what ``ChangedRows`` reads. At most `$2`
    /// if rows were locked that stay.
    func change(in leaf: Relation) -> String {
        let isLocked = "\(tid) = ANY ($1::tid[])"
        let rows = "\(condition.from(leaf)) WHERE \(isLocked)"
        let found: (further: [String], place: String)
        if locksRowsThatStay {
            let fitting = """
                "pruned fitting" AS MATERIALIZED (SELECT \(tid) AS place \(condition.from(leaf))\(condition.join) \
                WHERE \(([isLocked] + condition.terms).joined(separator: " AND ")))
                """
            let doomed = """
                "pruned doomed" AS MATERIALIZED (SELECT place FROM "pruned fitting"\(complete) LIMIT $2)
                """
            found = (
                condition.heldRows(of: leaf, in: isLocked) + [fitting, doomed],
                "\(tid) = ANY (ARRAY(SELECT place FROM \"pruned doomed\"))"
            )
        } else {
            found = ([], ([isLocked] + condition.terms).joined(separator: " AND "))
        }
        let verb =
            bound.mark.map { "UPDATE \(table(leaf)) SET \($0.assignments)" } ?? "DELETE FROM \(table(leaf))"
        let changed = """
            "pruned changed" AS (\(verb) WHERE \(found.place) RETURNING \(returned.joined(separator: ", ")))
            """
        let with = condition.with(of: rows, and: found.further + [changed] + referring + tombstoneInsertion)
        return "\(with)SELECT \(outputs.joined(separator: ", ")) FROM \"pruned changed\""
    }

    /// What happens with rows that refer to those that go, by the columns that the rule declares. The server checks foreign
    /// keys at the end of the statement.
    private var referring: [String] {
        bound.declared.enumerated().map { number, key in
            let (child, column) = (key.key.child.sql, key.childColumns[0].quotedIdentifier)
            let keys = "ANY (ARRAY(SELECT \"pruned key\" FROM \"pruned changed\"))"
            let refers = "child.\(column) = \(keys)"
            // A row that goes itself cannot be changed as well.
            let stays =
                key.child == key.parent
                ? " AND child.\(key.parentColumns[0].quotedIdentifier) <> ALL (ARRAY(SELECT \"pruned key\" FROM \"pruned changed\"))"
                : ""
            let verb =
                key.cascades
                ? "DELETE FROM \(child) AS child" : "UPDATE \(child) AS child SET \(column) = NULL"
            return "\"pruned referring \(number)\" AS (\(verb) WHERE \(refers)\(stays))"
        }
    }

    /// Of rows that refer to each other, some may go without the others only if nothing refers to them.
    private var complete: String {
        bound.ownKeys.isEmpty
            ? ""
            : """
             WHERE (SELECT count(*) FROM "pruned fitting") <= $2 OR place NOT IN (SELECT place FROM "pruned pairs")
            """
    }

    /// How many of the locked rows `$1` are there unchanged, though everything is still true of them.
    func kept(in leaf: Relation) -> String {
        let isLocked = "\(tid) = ANY ($1::tid[])"
        let with = condition.with(
            of: "\(condition.from(leaf)) WHERE \(isLocked)", and: condition.heldRows(of: leaf, in: isLocked))
        let place = ([isLocked] + condition.terms).joined(separator: " AND ")
        return "\(with)SELECT count(*) \(condition.from(leaf))\(condition.join) WHERE \(place)"
    }

    /// The values of a changed row: its hash, what a tombstone copies, what is archived.
    private var returned: [String] {
        ["1 AS \"pruned row\""] + (tellsRows ? ["\(RowHash(of: bound).sql) AS \"pruned hash\""] : [])
            + copied.map { "\(relation.column($0)) AS \(copy($0))" }
            + (bound.declared.first.map { ["\(relation.column($0.parentColumns[0])) AS \"pruned key\""] }
                ?? [])
            + (bound.tombstones == nil ? [] : ["\(needsTombstone) AS \"pruned needs\""])
            + (bound.mark.map { ["\($0.isSet(in: relation)) AS \"pruned mark\""] } ?? [])
            + archivedValues.enumerated().map { "\($1) AS \(Self.archived($0))" }
    }

    /// What each row of the result has: the hash, whether it needs a tombstone or has its mark, whether the tombstone is new,
    /// the key of the tombstone, what is archived.
    private var outputs: [String] {
        (tellsRows ? ["\"pruned hash\""] : ["NULL"])
            + (bound.tombstones.map { _ in ["\"pruned needs\"", isNewTombstone] }
                ?? [bound.mark == nil ? "false" : "\"pruned mark\"", "false"])
            + (bound.tombstones?.keySources ?? []).map(copy) + archivedValues.indices.map(Self.archived)
    }

    private var copied: [String] { Array(Set(bound.tombstones?.columns.map(\.source) ?? [])).sorted() }

    // Long names of columns would be cut, and then be equal.
    private func copy(_ column: String) -> String {
        "pruned copy \(copied.firstIndex(of: column) ?? 0)".quotedIdentifier
    }
    private static func archived(_ index: Int) -> String { "pruned value \(index)".quotedIdentifier }

    /// SQL of what the archive gets of a changed row. Of a marked one it is the key, by which ``oldValues(in:)`` are found.
    private var archivedValues: [String] {
        guard let archived else { return [] }
        guard archived.key.isEmpty else { return archived.key.map(relation.column) }
        return archived.names.map(relation.column) + [archived.identity?.sql].compactMap(\.self)
    }

    /// The key of the locked rows `$1`, and what the archive gets of them, before they are marked; nil for a deletion.
    func oldValues(in leaf: Relation) -> String? {
        guard let archived, !archived.key.isEmpty else { return nil }
        let values =
            (archived.key + archived.names).map(relation.column)
            + (archived.witness.isEmpty ? [] : [RowWitness.sql(archived.witness, of: relation)])
            + [archived.identity?.sql].compactMap(\.self)
        return """
            SELECT \(values.joined(separator: ", ")) FROM \(table(leaf)) WHERE \(tid) = ANY ($1::tid[])
            """
    }

    private var needsTombstone: String { bound.conditions.tombstone?.isTrue ?? "true" }

    private var tombstoneInsertion: [String] {
        guard let tombstones = bound.tombstones else { return [] }
        let targets = tombstones.columns.map(\.column.quotedIdentifier).joined(separator: ", ")
        let sources = tombstones.columns.map { copy($0.source) }.joined(separator: ", ")
        let key = tombstones.key.map(\.quotedIdentifier).joined(separator: ", ")
        return [
            """
            "pruned tombstones" AS (INSERT INTO \(tombstones.relation.sql) (\(targets)) SELECT \(sources) \
            FROM "pruned changed" WHERE "pruned needs" ON CONFLICT (\(key)) DO NOTHING RETURNING \(key))
            """
        ]
    }

    private var isNewTombstone: String {
        guard let tombstones = bound.tombstones else { return "false" }
        let terms = zip(tombstones.key, tombstones.keySources).map {
            "t.\($0.quotedIdentifier) IS NOT DISTINCT FROM \"pruned changed\".\(copy($1))"
        }
        return "EXISTS (SELECT FROM \"pruned tombstones\" t WHERE \(terms.joined(separator: " AND ")))"
    }

    /// How many of the keys `$1`, `$2` and so on have no tombstone; nil if the rule leaves none. `hasNull` says whether
    /// a key may have NULL in it.
    func missingTombstones(hasNull: Bool) -> String? {
        guard let tombstones = bound.tombstones else { return nil }
        let keys = tombstones.key.indices
        // A cast to a domain would run its checks, and one to an enumeration a function of its owner: the server reads its
        // values by the type's own input.
        let columns = tombstones.keySources.map { relation[$0] }
        let arrays = columns.enumerated().map { number, column in
            let type = column.flatMap { $0.isEnumeration ? $0.baseType : nil } ?? "text"
            return "$\(number + 1)::\(type)[]"
        }.joined(separator: ", ")
        let names = keys.map { "k\($0)" }
        let terms = zip(tombstones.key, zip(names, columns)).map { key, source in
            let (name, column) = source
            let isGiven = column.map(\.isEnumeration) ?? true
            let value = "u.\(name)" + (isGiven ? "" : "::\(column?.baseType ?? "text")")
            return "t.\(key.quotedIdentifier) \(hasNull ? "IS NOT DISTINCT FROM" : "=") \(value)"
        }
        return """
            SELECT count(*) FROM unnest(\(arrays)) AS u (\(names.joined(separator: ", "))) WHERE NOT EXISTS \
            (SELECT FROM \(tombstones.relation.sql) t WHERE \(terms.joined(separator: " AND ")))
            """
    }

    /// How many values stand before the archived ones in a row of ``change(in:)``.
    var fixedOutputs: Int { 3 + (bound.tombstones?.key.count ?? 0) }
}
