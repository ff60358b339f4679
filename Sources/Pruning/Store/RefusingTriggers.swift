/// Triggers of the app's that may refuse to let a row go. Whether they do only a run can tell.
package struct RefusingTriggers: Codable, Equatable, Sendable {
    /// Each with its table, such as `keep on item`.
    package let names: [String]

    package init(_ names: some Sequence<String>) { self.names = Set(names).sorted() }

    /// Of rows that would go; nil without such triggers.
    package var doubt: String? { sentence("refuse it") }

    /// Of a rule; nil without such triggers.
    package var remark: String? { sentence("refuse to let rows go") }

    private func sentence(_ refusal: String) -> String? {
        guard !names.isEmpty else { return nil }
        let subject = (names.count == 1 ? "trigger " : "triggers ") + names.joined(separator: ", ")
        return "\(subject) may \(refusal), which only a run can tell"
    }
}
