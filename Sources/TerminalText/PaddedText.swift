extension String {
    /// The text, filled with spaces to at least `width` columns.
    package func padded(to width: Int, rightAligned: Bool = false) -> String {
        let fill = String(repeating: " ", count: max(0, width - columns))
        return rightAligned ? fill + self : self + fill
    }

    /// The longest beginning that takes at most `width` columns, followed by "…" if something was cut off.
    package func shortened(toColumns width: Int) -> String {
        guard columns > width else { return self }
        var (beginning, taken) = ("", 1)
        for character in self {
            taken += character.columns
            guard taken <= width else { break }
            beginning.append(character)
        }
        return beginning + "…"
    }

    /// The text in pieces of at most `width` columns, broken anywhere. An empty text is one empty piece.
    package func pieces(ofColumns width: Int) -> [String] {
        var pieces = [""]
        var taken = 0
        for character in self {
            if taken + character.columns > width, taken > 0 {
                pieces.append("")
                taken = 0
            }
            pieces[pieces.count - 1].append(character)
            taken += character.columns
        }
        return pieces
    }
}
