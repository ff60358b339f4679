extension String {
    /// The text, filled with spaces to at least `width` columns.
    public func padded(to width: Int, rightAligned: Bool = false) -> String {
        let fill = String(repeating: " ", count: max(0, width - columns))
        return rightAligned ? fill + self : self + fill
    }

    /// The longest beginning that takes at most `width` columns, ending in "…" where something was cut off.
    public func shortened(toColumns width: Int) -> String {
        guard columns > width else { return self }
        var (beginning, taken) = ("", 1)
        for character in self {
            taken += character.columns
            guard taken <= width else { break }
            beginning.append(character)
        }
        return beginning + "…"
    }
}
