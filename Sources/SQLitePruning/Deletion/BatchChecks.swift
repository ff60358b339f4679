import Pruning

/// The checks after which a batch is rolled back.
extension BoundRule {
    /// The app may insert expired rows among the `counted` ones that are left.
    func check(rows: Int64, ofCounted counted: Int64, at path: String) throws {
        guard rows > counted else { return }
        throw StoreError(
            .tooLarge, operation: "apply rule \(rule.name)", place: path,
            cause: "more rows of \(table.name) have expired than were counted; the batch was rolled back",
            hint: "its app inserts rows that have already expired; the next run counts them")
    }

    /// No rows of other tables may change with the rule's, unless the rule says so.
    func check(dependents: Int64, at path: String) throws {
        guard dependents == 0 || !rule.dependents.isEmpty || firesTriggers else {
            throw StoreError(
                .unsafe, operation: "apply rule \(rule.name)", place: path,
                cause:
                    "a batch would have changed \(dependents) rows that are not the rule's; it was rolled back",
                hint: "look for triggers and foreign keys on \(table.name)")
        }
    }
}
