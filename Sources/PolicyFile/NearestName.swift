extension Sequence<String> {
    /// The name that `word` was probably meant to be: the one with the fewest edits between them, if those
    /// are few for a word of this length. Case does not count.
    public func nearest(to word: String) -> String? {
        guard word.count <= 64 else { return nil }
        let tolerated = Swift.max(1, word.count / 3)
        return map { (name: $0, edits: editDistance(from: word.lowercased(), to: $0.lowercased())) }
            .filter { $0.edits <= tolerated }
            .min { ($0.edits, $0.name) < ($1.edits, $1.name) }?.name
    }
}

/// How many insertions, deletions and substitutions turn `a` into `b`.
private func editDistance(from a: String, to b: String) -> Int {
    let target = Array(b)
    var row = Array(0...target.count)
    for (i, character) in a.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, other) in target.enumerated() {
            let substituted = diagonal + (character == other ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
        }
    }
    return row[target.count]
}
