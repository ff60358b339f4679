/// Rows of text in aligned columns, one line each. The cells must be of one line.
public struct TextTable {
    private let rows: [[String]]
    private let numbers: Set<Int>
    private let widest: [Int]
    private let gap: String
    /// Less of a name is no name.
    private static let leastName = 12

    /// `header` stands above the columns. `numbers`: the columns that are aligned at their right. `widest`: how many
    /// columns of the terminal each may take; what is longer is cut off. `gap` stands between two of them.
    public init(
        header: [String], rows: [[String]], numbers: Set<Int> = [], widest: [Int] = [], gap: String = "  "
    ) {
        self.rows = [header] + rows
        self.numbers = numbers
        self.widest = widest
        self.gap = gap
    }

    /// The header and then the rows.
    public var lines: [String] { lines(within: .max) }

    /// The same, in no more than so many columns where cutting off the first cells can do that.
    public func lines(within width: Int) -> [String] {
        var widths = rows[0].indices.map { column in
            let needed = rows.map { $0[column].columns }.max() ?? 0
            return widest.indices.contains(column) ? min(widest[column], needed) : needed
        }
        let excess = widths.reduce((widths.count - 1) * gap.columns, +) - width
        if excess > 0 { widths[0] = max(min(widths[0], Self.leastName), widths[0] - excess) }
        return rows.map { cells in
            let line = cells.indices.map { column in
                cells[column].shortened(toColumns: widths[column])
                    .padded(to: widths[column], rightAligned: numbers.contains(column))
            }.joined(separator: gap)
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
