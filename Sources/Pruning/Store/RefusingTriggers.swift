/// Triggers of the app's that may refuse to let a row go. Whether they do only a run can tell.
package struct RefusingTriggers: Equatable, Sendable {
    /// Each with its table, such as `keep on item`.
    package let names: [String]

    package init(_ names: some Sequence<String>) { self.names = Set(names).sorted() }

    /// What may come between, of rows that would go; nil without such triggers.
    package var doubt: String? {
        guard !names.isEmpty else { return nil }
        let subject = (names.count == 1 ? "trigger " : "triggers ") + names.joined(separator: ", ")
        return "\(subject) may refuse it, which only a run can tell"
    }

    /// For a person who looks before a run.
    package func remark(on table: String) -> String? { doubt.map { "rows of \(table) go, but " + $0 } }
}
