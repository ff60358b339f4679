/// Rows of text in aligned columns, one line each. No cell may contain a line break.
package struct TextTable {
    private let rows: [[String]]
    private let numbers: Set<Int>
    private let widest: [Int]
    private let gap: String
    private let name: Int
    private let dispensable: [Int]
    /// A name shorter than this would not be recognisable.
    private static let leastName = 12

    /// `header` is the first line. `numbers` are right-aligned columns. `widest` limits the width of each column on the
    /// terminal; longer cells are cut off. `gap` separates columns. If the table is too wide, the `name` column is cut
    /// off first, and then the `dispensable` columns are left out, in this order.
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

    /// The header, then the rows.
    package var lines: [String] { lines(within: .max) }

    /// The lines in at most `width` columns, if possible. `showing` returns a cell's text as it is shown, by its row (0
    /// is the header) and column. It must take as many columns as the text.
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
                // Avoids trailing blanks.
                blanks += (text.isEmpty ? columns : isNumber ? 0 : fill) + gap.columns
            }
            return line
        }
    }

    /// The columns to show, and their widths.
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
