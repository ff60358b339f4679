/// How many expired rows each of a rule's last runs left, the newest last.
package struct Backlog: Codable, Equatable, Sendable {
    private var lefts: [Int64]

    /// A single run may leave more for many reasons.
    package static let runs = 3

    /// Nil without a run.
    package init?(_ lefts: [Int64]) {
        guard !lefts.isEmpty else { return nil }
        self.lefts = lefts.suffix(Self.runs)
    }

    /// This backlog after a further run.
    func with(_ left: Int64) -> Backlog {
        var backlog = self
        backlog.lefts = (lefts + [left]).suffix(Self.runs)
        return backlog
    }

    /// What the last run left.
    package var left: Int64 { lefts.last ?? 0 }

    /// Whether each of the last runs left more than the one before: more expires than the rule deletes.
    package var grows: Bool {
        lefts.count == Self.runs && zip(lefts, lefts.dropFirst()).allSatisfy { $0 < $1 }
    }
}
