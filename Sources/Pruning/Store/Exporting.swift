import FoundationEssentials

/// How archived rows are printed.
package enum ExportFormat: String, Codable, CaseIterable, Sendable {
    case json, csv
}

/// How far the text of an archived part was told.
package struct ExportPosition: Codable, Sendable {
    /// The batch that comes next, and the first byte of its text that does.
    package let batch: Int64, byte: Int
    /// The columns of the rows that came last; nil before the first.
    package let columns: [String]?

    package init(batch: Int64 = 0, byte: Int = 0, columns: [String]? = nil) {
        (self.batch, self.byte, self.columns) = (batch, byte, columns)
    }
}

/// A piece of the text of an archived part.
package struct ExportedText: Codable, Sendable {
    package let text: Data
    /// Where the next piece begins; nil if this is the last.
    package let next: ExportPosition?

    package init(text: Data, next: ExportPosition?) { (self.text, self.next) = (text, next) }
}
