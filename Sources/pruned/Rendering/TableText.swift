extension String {
    /// The text, filled with spaces to at least `width` characters.
    func padded(to width: Int, rightAligned: Bool = false) -> String {
        let fill = String(repeating: " ", count: max(0, width - count))
        return rightAligned ? fill + self : self + fill
    }
}

extension BinaryInteger {
    /// The number with its thousands apart: 1,200,000.
    var grouped: String {
        let digits = String(magnitude)
        let groups = stride(from: digits.count, to: 0, by: -3).map { end in
            digits.dropLast(digits.count - end).suffix(3)
        }
        return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }
}
