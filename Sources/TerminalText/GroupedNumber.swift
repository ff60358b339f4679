extension BinaryInteger {
    /// The number with thousands separators: 1,200,000.
    package var grouped: String {
        let digits = String(magnitude)
        let groups = stride(from: digits.count, to: 0, by: -3).map { end in
            digits.dropLast(digits.count - end).suffix(3)
        }
        return (self < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
    }
}
