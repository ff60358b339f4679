extension [String] {
    /// SQL terms joined by `word`, AND or OR. One after another, each would be a level deeper than the one before, and
    /// SQLite goes 1,000 levels deep; a table may have 2,000 columns.
    func balanced(_ word: String) -> String {
        guard count > 2 else { return joined(separator: " \(word) ") }
        let halves = [Array(prefix(count / 2)), Array(dropFirst(count / 2))]
        return halves.map { "(\($0.balanced(word)))" }.joined(separator: " \(word) ")
    }
}
