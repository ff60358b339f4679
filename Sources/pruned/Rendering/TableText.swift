extension String {
    /// The text, filled with spaces to at least `width` characters.
    func padded(to width: Int, rightAligned: Bool = false) -> String {
        let fill = String(repeating: " ", count: max(0, width - count))
        return rightAligned ? fill + self : self + fill
    }
}
