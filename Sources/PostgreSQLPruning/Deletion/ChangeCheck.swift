import Pruning
import Retention

/// Looks whether the rows that a batch changed are what they should be. Code in the database may have interfered.
struct ChangeCheck {
    let rule: Name
    let statements: BatchStatements
    let connection: Connection
    /// Runs a statement that has a name.
    let run: (_ name: String, _ sql: String, _ values: [String?]) throws -> QueryResult

    private var bound: BoundRule { statements.condition.bound }

    /// Throws if some of the locked rows `places` were not changed that should be. A trigger may have kept them.
    func rows(_ places: [String], _ leaf: Relation, changed: Int, atMost: Int64) throws {
        guard changed < places.count, changed < atMost else { return }
        let kept =
            try run("kept \(leaf.oid)", statements.kept(in: leaf), [.arrayLiteral(places)]).integer(0, 0) ?? 0
        guard kept > 0 else { return }
        let table = bound.relation.description
        let names = bound.triggers.filter { $0.table == table || $0.table == leaf.description }.map(\.name)
        throw StoreError(
            .unsafe, operation: "apply rule \(rule)", place: connection.place,
            cause: "a trigger kept \(kept) expired row\(kept == 1 ? "" : "s") of \(table)"
                + (names.isEmpty ? "" : " (\(names.joined(separator: ", ")))")
                + "; the batch was rolled back",
            hint: StoreHint.refusingTrigger)
    }

    /// Throws unless each marked row has the mark. A trigger may have written something else.
    func marks(of result: QueryResult, _ leaf: Relation) throws {
        guard bound.mark != nil, !(0..<result.count).allSatisfy({ result.isTrue($0, 1) }) else { return }
        throw StoreError(
            .unsafe, operation: "apply rule \(rule)", place: connection.place,
            cause: "marked rows of \(leaf.description) do not have the mark; the batch was rolled back",
            hint: "look for triggers on \(leaf.description)")
    }

    /// Throws unless each deleted row that needs a tombstone has one. A trigger may have taken it away.
    func tombstones(of result: QueryResult) throws {
        guard let tombstones = bound.tombstones else { return }
        let keys = (0..<result.count).filter { result.isTrue($0, 1) }.map { row in
            tombstones.key.indices.map { result.text(row, 3 + $0) }
        }
        // No index finds a key that has a NULL in it.
        let missing: Int64 = try [false, true].reduce(0) { sum, hasNull in
            let some = keys.filter { $0.contains(nil) == hasNull }
            guard !some.isEmpty, let question = statements.missingTombstones(hasNull: hasNull) else {
                return sum
            }
            let values = tombstones.key.indices.map { column in String.arrayLiteral(some.map { $0[column] }) }
            let found = try run("tombstones \(hasNull)", question, values)
            return sum + (found.integer(0, 0) ?? 0)
        }
        guard missing > 0 else { return }
        throw StoreError(
            .unsafe, operation: "apply rule \(rule)", place: connection.place,
            cause:
                "\(missing) tombstones were written, and are not in \(tombstones.relation.description); the batch was rolled"
                + " back", hint: "look for triggers on \(tombstones.relation.description)")
    }
}
