/// Rows of text in aligned columns, one line each. The cells must be of one line.
package struct TextTable {
    private let rows: [[String]]
    private let numbers: Set<Int>
    private let widest: [Int]
    private let gap: String
    private let name: Int
    private let dispensable: [Int]
    /// Less of a name is no name.
    private static let leastName = 12

    /// `header` stands above the columns. `numbers`: the columns that are aligned at their right. `widest`: how many
    /// columns of the terminal each may take; what is longer is cut off. `gap` stands between two of them. Where that is
    /// too wide, the `name` is cut off, and then columns are left out: those that are `dispensable`, in this order.
    package init(
        header: [String], rows: [[String]], numbers: Set<Int> = [], widest: [Int] = [], gap: String = "  ",
        name: Int = 0, dispensable: [Int] = []
    ) {
        self.rows = [header] + rows
        self.numbers = numbers
        self.widest = widest
        self.gap = gap
        self.name = name
        self.dispensable = dispensable
    }

    /// The header and then the rows.
    package var lines: [String] { lines(within: .max) }

    /// The same, in no more than so many columns where that can be. `showing` says how a cell's text is shown, by its row
    /// (0 is the header) and column: it must take as many columns as the text.
    package func lines(
        within width: Int,
        showing: (_ text: String, _ row: Int, _ column: Int) -> String = { text, _, _ in text }
    ) -> [String] {
        let widths = widths(within: width)
        return rows.enumerated().map { row, cells in
            var line = ""
            var blanks = 0
            for (column, columns) in widths {
                let text = cells[column].shortened(toColumns: columns)
                let fill = columns - text.columns
                let isNumber = numbers.contains(column)
                if !text.isEmpty {
                    line += String(repeating: " ", count: blanks + (isNumber ? fill : 0))
                    line += showing(text, row, column)
                    blanks = 0
                }
                // No line ends in blanks.
                blanks += (text.isEmpty ? columns : isNumber ? 0 : fill) + gap.columns
            }
            return line
        }
    }

    /// The columns that are shown, and how wide each is.
    private func widths(within width: Int) -> [(column: Int, width: Int)] {
        var widths = rows[0].indices.map { column in
            let needed = rows.map { $0[column].columns }.max() ?? 0
            return (
                column: column, width: widest.indices.contains(column) ? min(widest[column], needed) : needed
            )
        }
        let excess = { widths.reduce((widths.count - 1) * gap.columns) { $0 + $1.width } - width }
        let named = widths[name].width
        let least = min(named, Self.leastName)
        for column in dispensable where excess() > named - least {
            widths.removeAll { $0.column == column }
        }
        if let place = widths.firstIndex(where: { $0.column == name }), excess() > 0 {
            widths[place].width = max(least, widths[place].width - excess())
        }
        return widths
    }
}
