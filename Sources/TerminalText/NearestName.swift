extension Sequence<String> {
    /// The name that `word` was probably meant to be: the one with the fewest edits, if these are few for the word's
    /// length. Ignores case.
    package func nearest(to word: String) -> String? {
        guard word.count <= 64 else { return nil }
        let tolerated = Swift.max(1, word.count / 3)
        return map { (name: $0, edits: editDistance(from: word.lowercased(), to: $0.lowercased())) }
            .filter { $0.edits <= tolerated && !isOpposite($0.name.lowercased(), word.lowercased()) }
            .min { ($0.edits, $0.name) < ($1.edits, $1.name) }?.name
    }
}

/// Whether one of two names is the other with a syllable that says the contrary: `is_read` and `is_unread`.
private func isOpposite(_ a: String, _ b: String) -> Bool {
    let (short, long) = a.count < b.count ? (a, b) : (b, a)
    return ["un", "not", "no", "non", "in", "dis"].contains { syllable in
        [syllable, syllable + "_"].contains { part in
            long.count == short.count + part.count
                && long.ranges(of: part).contains { short == long.without($0) }
        }
    }
}

extension String {
    fileprivate func without(_ range: Range<Index>) -> String {
        String(self[..<range.lowerBound] + self[range.upperBound...])
    }
}

/// The number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
private func editDistance(from a: String, to b: String) -> Int {
    let (source, target) = (Array(a), Array(b))
    var (beforeLast, last) = ([Int](), Array(0...target.count))
    for i in source.indices {
        var row = [i + 1]
        for j in target.indices {
            let substituted = last[j] + (source[i] == target[j] ? 0 : 1)
            var edits = min(substituted, row[j] + 1, last[j + 1] + 1)
            if i > 0, j > 0, source[i] == target[j - 1], source[i - 1] == target[j] {
                edits = min(edits, beforeLast[j - 1] + 1)
            }
            row.append(edits)
        }
        (beforeLast, last) = (last, row)
    }
    return last[target.count]
}
