/// A name as a condition writes it, and where.
package struct SQLName: Equatable, Sendable {
    /// Without quotation marks.
    package let text: String
    /// In quotation marks, which keep its capitals.
    package let isQuoted: Bool
    /// The first byte, in UTF-8 from 0 on.
    package let offset: Int

    package init(_ text: String, isQuoted: Bool = false, at offset: Int = 0) {
        (self.text, self.isQuoted, self.offset) = (text, isQuoted, offset)
    }

    /// Wherever they stand.
    package static func == (a: SQLName, b: SQLName) -> Bool { (a.text, a.isQuoted) == (b.text, b.isQuoted) }
}
